"""Cross-encoders of the sentence-transformers library (extra `torch`)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from retrievers.ranking import Scores

_UNREADABLE = re.compile("[\ud800-\udfff\0]")


class SentenceTransformersScorer:
    """Raw logits of a cross-encoder with one output.

    Reimers & Gurevych, EMNLP 2019; cross-encoders: Humeau et al., ICLR 2020.
    model: a name on Hugging Face or a folder, such as "Dongjin-kr/ko-reranker".
    max_length: tokens of query and passage together; what is beyond is not read.
    backend: "onnx" runs an exported model, without a graphics card often the faster way.
    batch_size, device: how it runs; no score depends on them beyond rounding.
    Texts are read in NFC; lone surrogates and NUL count as blanks.
    """

    labels: ClassVar[frozenset[str]] = frozenset({"batch_size", "device"})

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        max_length: int = 512,
        backend: Literal["torch", "onnx", "openvino"] = "torch",
        batch_size: int = 32,
        device: str | None = None,
    ) -> None:
        self.model, self.revision, self.backend = model, revision, backend
        self.max_length, self.batch_size, self.device = max_length, batch_size, device

    def score_pairs(self, queries: Sequence[str], texts: Sequence[str]) -> Scores:
        """The logits of the pairs, [n]. Raises ValueError for a model with several outputs."""
        from torch.nn import Identity

        pairs = [
            (_readable(query), _readable(text)) for query, text in zip(queries, texts, strict=True)
        ]
        logits = self._loaded.predict(
            pairs,
            batch_size=self.batch_size,
            activation_fn=Identity(),
            apply_softmax=False,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        found = np.asarray(logits, dtype=np.float64)
        if found.ndim == 2 and found.shape[1] == 1:
            found = found[:, 0]
        if found.ndim != 1:
            raise ValueError(
                f"{self.model} gives {found.shape[-1]} numbers a pair: choose a cross-encoder that "
                "gives one, the relevance."
            )
        return found

    @cached_property
    def _loaded(self) -> Any:
        from sentence_transformers import CrossEncoder

        return CrossEncoder(
            self.model,
            revision=self.revision,
            max_length=self.max_length,
            backend=self.backend,
            device=self.device,
        )


def _readable(text: str) -> str:
    return unicodedata.normalize("NFC", _UNREADABLE.sub(" ", text))
