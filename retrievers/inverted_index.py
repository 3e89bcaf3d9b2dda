"""Which document holds which term with what weight: what every lexical retriever searches."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from retrievers.ranking import Flags, Rows, Scores, best_first

BLOCK = 8_000_000
"""Scores that are held at once (64 MB)."""


@dataclass(frozen=True, eq=False)
class InvertedIndex:
    """vocabulary: term -> its row.  weights: sparse float64 [terms, documents]."""

    vocabulary: Mapping[str, int]
    weights: sparse.csr_array

    def counts(self, queries: Sequence[Sequence[str]]) -> sparse.csr_array:
        """How often each query has each term of the vocabulary, [q, terms]."""
        rows: list[int] = []
        columns: list[int] = []
        data: list[int] = []
        for row, terms in enumerate(queries):
            known = Counter(self.vocabulary[term] for term in terms if term in self.vocabulary)
            rows += [row] * len(known)
            columns += known.keys()
            data += known.values()
        shape = (len(queries), len(self.vocabulary))
        table = sparse.coo_array((np.array(data, dtype=np.float64), (rows, columns)), shape=shape)
        return _sorted(table.tocsr())

    def search(self, queries: sparse.csr_array, depth: int) -> tuple[Rows, Scores]:
        """The best documents by inner product; one that shares no weight with the query is none."""
        width = min(depth, self.weights.shape[1])
        rows = np.full((queries.shape[0], width), -1, dtype=np.int32)
        scores = np.full(rows.shape, np.nan)
        for block in self._blocks(queries.shape[0]):
            products = self._products(queries[block])
            hits = np.where(products > 0, products, np.nan)
            rows[block], scores[block] = best_first(hits, depth)
        return rows, scores

    def score(self, queries: sparse.csr_array, candidates: Rows) -> Scores:
        """The inner product with given documents, [q, c]; NaN where a candidate is -1."""
        scores = np.full(candidates.shape, np.nan)
        for block in self._blocks(queries.shape[0]):
            wanted = candidates[block]
            found = np.take_along_axis(
                self._products(queries[block]), np.maximum(wanted, 0), axis=1
            )
            scores[block] = np.where(wanted >= 0, found, np.nan)
        return scores

    def spread(self, queries: sparse.csr_array, among: Flags) -> Scores:
        """The standard deviation of the products with those documents, [q]; NaN without hits."""
        spreads = np.full(queries.shape[0], np.nan)
        for row in range(queries.shape[0]):
            hits = (queries[[row]] @ self.weights).tocsr()
            products = hits.data[among[hits.indices]]
            if (products > 0).any():
                square, mean = (products**2).sum() / among.sum(), products.sum() / among.sum()
                spreads[row] = np.sqrt(max(square - mean**2, 0.0))
        return spreads

    def save(self, folder: Path) -> None:
        np.save(folder / "data.npy", self.weights.data)
        np.save(folder / "indices.npy", self.weights.indices)
        np.save(folder / "indptr.npy", self.weights.indptr)
        about = {"documents": self.weights.shape[1], "terms": list(self.vocabulary)}
        (folder / "terms.json").write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> InvertedIndex:
        about = json.loads((folder / "terms.json").read_text(encoding="utf-8"))
        arrays = [np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS]
        shape = (len(about["terms"]), about["documents"])
        weights = sparse.csr_array(tuple(arrays), shape=shape)
        return cls({term: row for row, term in enumerate(about["terms"])}, weights)

    def _blocks(self, queries: int) -> Iterator[slice]:
        step = max(1, BLOCK // max(1, self.weights.shape[1]))
        return (slice(begin, begin + step) for begin in range(0, queries, step))

    def _products(self, queries: sparse.csr_array) -> Scores:
        return np.asarray((queries @ self.weights).toarray(), dtype=np.float64)


_ARRAYS = ("data", "indices", "indptr")


def _sorted(table: sparse.csr_array) -> sparse.csr_array:
    """One order of addition for one bag of terms: equal queries get equal bits."""
    table.sort_indices()
    return table
