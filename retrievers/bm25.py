"""BM25 over the terms of an analyzer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import TypeVar, get_args

import numpy as np
from scipy import sparse

from retrievers.analyzers import Analyzer
from retrievers.analyzers import analyzer as analyzer_named
from retrievers.base import BatchRetriever
from retrievers.bm25_weights import Method, bm25_weights, count_terms
from retrievers.inverted_index import InvertedIndex
from retrievers.ranking import Flags, Rows, Scores

_BATCH = 1024
"""Documents whose terms are held at once."""

_T = TypeVar("_T")


class BM25Retriever(BatchRetriever):
    """BM25, five variants (`retrievers.bm25_weights`); a result shares a term with the query.

    analyzer: "auto", "kiwi", "english", "unicode" or "char_ngram".
    k1, b: how soon repetition saturates (0 up), how much length counts (0 to 1).
    method: which BM25 (Kamphuis, de Vries, Boytsov & Lin, ECIR 2020); "lucene" is Robertson's
        with an idf that is never negative.
    delta: the lower bound of "bm25l" and "bm25+" (Lv & Zhai, 2011); the others do not read it.
    A query term counts as often as the query repeats it.
    """

    def __init__(
        self,
        analyzer: str = "auto",
        *,
        k1: float = 1.5,
        b: float = 0.75,
        method: Method = "lucene",
        delta: float = 0.5,
        name: str = "bm25",
    ) -> None:
        super().__init__(name)
        self._analyzer = analyzer_named(analyzer)
        if method not in get_args(Method):
            raise ValueError(
                f"BM25 has no method {method!r}: choose from {', '.join(get_args(Method))}."
            )
        if not (0 <= k1 < inf and 0 <= b <= 1 and 0 <= delta < inf):
            raise ValueError(
                f"BM25 got k1={k1}, b={b} and delta={delta}: k1 and delta are 0 or more, b lies "
                "between 0 and 1."
            )
        if method == "bm25l" and k1 == 0 and delta > 0:
            raise ValueError(
                "BM25 with method=bm25l and k1=0 gives every document the same score: give "
                "k1 above 0."
            )
        self.analyzer, self.k1, self.b, self.method, self.delta = analyzer, k1, b, method, delta

    @property
    def term_analyzer(self) -> Analyzer:
        return self._analyzer

    @property
    def lexical(self) -> bool:
        return self.analyzer != "char_ngram"

    def index(self, texts: Sequence[str]) -> None:
        self._index_batches(map(self._analyzer.analyze_many, _batches(texts)))

    def index_terms(self, documents: Sequence[Sequence[str]]) -> None:
        self._index_batches(_batches(documents))

    def _index_batches(self, documents: Iterable[Sequence[Sequence[str]]]) -> None:
        vocabulary, counts = count_terms(documents)
        weights, self._floors = bm25_weights(counts, self.method, self.k1, self.b, self.delta)
        self._index = InvertedIndex(vocabulary, weights)

    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        queries = self._queries(texts)
        rows, scores = self._index.search(queries, depth)
        return rows, scores + self._floor(queries)

    def score(self, texts: Sequence[str], candidates: Rows) -> Scores:
        queries = self._queries(texts)
        return self._index.score(queries, candidates) + self._floor(queries)

    def spread(self, texts: Sequence[str], among: Flags) -> Scores:
        return self._index.spread(self._queries(texts), among)

    def save(self, folder: Path) -> None:
        self._index.save(folder)
        np.save(folder / "floors.npy", self._floors)

    def load(self, folder: Path) -> None:
        self._index = InvertedIndex.load(folder)
        self._floors = np.load(folder / "floors.npy", mmap_mode="r")

    def _queries(self, texts: Sequence[str]) -> sparse.csr_array:
        return self._index.counts(self._analyzer.analyze_many(texts))

    def _floor(self, queries: sparse.csr_array) -> Scores:
        """What "bm25l" and "bm25+" give every document alike: part of the score, never a match."""
        return np.asarray(queries @ self._floors, dtype=np.float64)[:, None]


def _batches(documents: Sequence[_T]) -> Iterator[Sequence[_T]]:
    return (documents[begin : begin + _BATCH] for begin in range(0, len(documents), _BATCH))
