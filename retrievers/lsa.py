"""Latent semantic analysis: an embedding fitted on the corpus it serves, on any machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.bridge.pydantic import Field, PrivateAttr

from retrievers.analyzers import analyzer as analyzer_named
from retrievers.local_embedding import LocalEmbedding, Vectors

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer


DUST = 1e-6
"""A text whose projection is shorter than this share of its TF-IDF vector has only rounding."""


class LsaEmbedding(LocalEmbedding):
    """Latent semantic analysis (Deerwester et al., JASIS 1990): TF-IDF cut to its main directions.

    It is fitted on the corpus it serves. dimensions: at most; a small corpus has fewer.
    analyzer: which terms it reads. seed: of the randomised SVD (Halko et al., SIAM Review 2011).
    A text without a known term, or whose terms lie in no direction that was kept, has the zero
    vector. A pickled copy keeps what was fitted.
    """

    model_name: str = "lsa"
    dimensions: int = Field(default=256, gt=0)
    analyzer: str = "auto"
    seed: int = 0
    _vectorizer: Any = PrivateAttr(default=None)
    _components: Any = PrivateAttr(default=None)

    def fit(self, texts: Sequence[str]) -> None:
        """Learn terms, weights and directions from the corpus."""
        self.fit_terms(analyzer_named(self.analyzer).analyze_many(texts))

    def fit_terms(self, terms: Sequence[Sequence[str]]) -> None:
        """The same from texts that this embedding's analyzer has read."""
        from sklearn.utils.extmath import randomized_svd

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
        return self.embed_terms(analyzer_named(self.analyzer).analyze_many(texts))

    def embed_terms(self, terms: Sequence[Sequence[str]]) -> Vectors:
        """The vectors of texts that this embedding's analyzer has read, float32 [n, d]."""
        if self._components is None:
            raise ValueError("LsaEmbedding knows no corpus yet: call fit(texts) first.")
        if self._vectorizer is None or not terms:
            return np.zeros((len(terms), len(self._components)), dtype=np.float32)
        weights = self._vectorizer.transform(terms)
        found = np.asarray(weights @ self._components.T, dtype=np.float32)
        found[np.linalg.norm(found, axis=1) < DUST] = 0.0  # the TF-IDF vectors have length 1
        return found

    def __setstate__(self, state: dict[str, Any]) -> None:
        """LlamaIndex brings back the fields alone and begins anew: the fit is put back here."""
        super().__setstate__(state)
        fitted = state["__pydantic_private__"]
        self._vectorizer, self._components = fitted["_vectorizer"], fitted["_components"]


def _term_vectorizer() -> TfidfVectorizer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer=list, sublinear_tf=True, dtype=np.float64)
