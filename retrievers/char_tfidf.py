"""Cosine of TF-IDF vectors over character n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from retrievers.analyzers import clean
from retrievers.base import BatchRetriever
from retrievers.inverted_index import InvertedIndex
from retrievers.ranking import Flags, Rows, Scores

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer


class CharTfidfRetriever(BatchRetriever):
    """Finds what shares stretches of characters: spelling variants, compounds, any language.

    shortest, longest: the lengths of the n-grams, cut within words that have a blank at either
        end. Two letters carry a Korean word (Lee & Ahn, SIGIR 1996), four an English stem
        (McNamee & Mayfield, Information Retrieval, 2004).
    Term frequency is 1 + ln(tf), idf is smoothed, scores are cosines in (0, 1]; a result shares an
    n-gram with the query. The vectors are scikit-learn's (Pedregosa et al., JMLR 2011).
    """

    def __init__(self, shortest: int = 2, *, longest: int = 4, name: str = "char_tfidf") -> None:
        super().__init__(name)
        if not 1 <= shortest <= longest:
            raise ValueError(
                f"char_tfidf got shortest={shortest} and longest={longest}: "
                "give 1 <= shortest <= longest."
            )
        self.shortest, self.longest = shortest, longest

    def index(self, texts: Sequence[str]) -> None:
        cleaned = [clean(text) for text in texts]
        self._vectorizer: TfidfVectorizer | None = None
        self._index = InvertedIndex({}, sparse.csr_array((0, len(texts)), dtype=np.float64))
        if any(text.strip() for text in cleaned):
            self._vectorizer = char_vectorizer(self.shortest, self.longest)
            weights = sparse.csr_array(self._vectorizer.fit_transform(cleaned).T).tocsr()
            weights.sort_indices()
            terms = self._vectorizer.get_feature_names_out()
            self._index = InvertedIndex({term: row for row, term in enumerate(terms)}, weights)

    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        return self._index.search(self._queries(texts), depth)

    def score(self, texts: Sequence[str], candidates: Rows) -> Scores:
        return self._index.score(self._queries(texts), candidates)

    def spread(self, texts: Sequence[str], among: Flags) -> Scores:
        return self._index.spread(self._queries(texts), among)

    def save(self, folder: Path) -> None:
        self._index.save(folder)
        idf = np.zeros(0) if self._vectorizer is None else self._vectorizer.idf_
        np.save(folder / "idf.npy", idf)

    def load(self, folder: Path) -> None:
        self._index = InvertedIndex.load(folder)
        self._vectorizer = None
        if self._index.vocabulary:
            self._vectorizer = char_vectorizer(self.shortest, self.longest)
            self._vectorizer.vocabulary = self._index.vocabulary
            self._vectorizer.idf_ = np.load(folder / "idf.npy", mmap_mode="r")

    def _queries(self, texts: Sequence[str]) -> sparse.csr_array:
        if self._vectorizer is None or not texts:
            return sparse.csr_array((len(texts), len(self._index.vocabulary)), dtype=np.float64)
        vectors = self._vectorizer.transform([clean(text) for text in texts])
        queries = sparse.csr_array(vectors)
        queries.sort_indices()
        return queries


def char_vectorizer(shortest: int, longest: int) -> TfidfVectorizer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=(shortest, longest),
        sublinear_tf=True,
        lowercase=False,
        dtype=np.float64,
    )
