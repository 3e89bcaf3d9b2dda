"""Nearest neighbours of embeddings by cosine, exact unless a graph is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray

from retrievers.base import BatchRetriever
from retrievers.ranking import Flags, Rows, Scores, best_first

Vectors = NDArray[np.float32]

BLOCK = 64
"""Queries that are searched at once."""

NEAR = 1e-5
"""More than two single-precision inner products of unit vectors can differ by rounding."""

DUST = 1e-6
"""A cosine below this is 0 but for the rounding of single-precision vectors."""


class Neighbours(Protocol):
    """An index of vectors that finds candidates without looking at all of them."""

    def build(self, vectors: Vectors) -> None: ...
    def nearest(self, queries: Vectors, width: int) -> Rows: ...
    def save(self, folder: Path) -> None: ...
    def load(self, folder: Path) -> None: ...


@runtime_checkable
class FittedEmbedding(Protocol):
    """An embedding that has to see the corpus before it can embed."""

    def fit(self, texts: Sequence[str]) -> None: ...
    def save(self, folder: Path) -> None: ...
    def load(self, folder: Path) -> None: ...


class DenseRetriever(BatchRetriever):
    """Inner product of L2-normalised vectors, so a score is a cosine in [-1, 1].

    embedding: any LlamaIndex embedding. A `FittedEmbedding` is fitted on the corpus first and kept
        with the index; one with a `get_query_embedding_batch(texts)` embeds all queries at once.
    FAISS (Douze et al., 2024) finds the candidates in single precision without approximation;
    their scores are then added up in double precision, so that equal texts tie exactly and a query
    scores alike alone and in a batch. A cosine that only rounding keeps from 0 is 0, so passages at
    right angles to the query tie. Blank texts and zero vectors are no hit.
    neighbours: None looks at every vector; an `Hnsw` finds most of the same candidates, and their
        scores are exact all the same.
    """

    def __init__(
        self,
        embedding: BaseEmbedding,
        *,
        neighbours: Neighbours | None = None,
        name: str = "dense",
    ) -> None:
        super().__init__(name)
        self.embedding, self.neighbours = embedding, neighbours

    def index(self, texts: Sequence[str]) -> None:
        if isinstance(self.embedding, FittedEmbedding):
            self.embedding.fit(texts)
        self._keep(self._embed(texts, queries=False))

    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        queries = self._embed(texts, queries=True)
        depth = min(depth, len(self._vectors))
        rows = np.full((len(texts), depth), -1, dtype=np.int32)
        scores = np.full((len(texts), depth), np.nan)
        alive = np.flatnonzero(queries.any(axis=1))
        zero = ~self._vectors.any(axis=1)
        edge = min(len(self._vectors), depth + int(zero.sum()))
        for block in _blocks(alive) if depth and not zero.all() else ():
            candidates = self._candidates(queries[block], edge)
            exact = self._cosines(queries[block], candidates)
            rows[block], scores[block] = best_first(exact, depth, candidates)
        return rows, scores

    def score(self, texts: Sequence[str], candidates: Rows) -> Scores:
        queries = self._embed(texts, queries=True)
        return self._cosines(queries, candidates)

    def spread(self, texts: Sequence[str], among: Flags) -> Scores:
        """From the covariance C of the passages: the variance of the cosines of q is q'Cq."""
        queries = self._embed(texts, queries=True).astype(np.float64)
        if not queries.any():
            return np.full(len(texts), np.nan)
        covariance = np.cov(self._vectors[among].astype(np.float64), rowvar=False, bias=True)
        variances = np.array([query @ covariance @ query for query in queries])
        alive = queries.any(axis=1)
        return np.where(alive, np.sqrt(np.maximum(variances, 0.0)), np.nan)

    def save(self, folder: Path) -> None:
        np.save(folder / "vectors.npy", self._vectors)
        if self.neighbours is not None:
            self.neighbours.save(folder)
        if isinstance(self.embedding, FittedEmbedding):
            self.embedding.save(folder)

    def load(self, folder: Path) -> None:
        self._vectors = np.load(folder / "vectors.npy", mmap_mode="r")
        if self.neighbours is not None:
            self.neighbours.load(folder)
        if isinstance(self.embedding, FittedEmbedding):
            self.embedding.load(folder)

    def _keep(self, vectors: Vectors) -> None:
        self._vectors = vectors
        if self.neighbours is not None:
            self.neighbours.build(vectors)

    def _candidates(self, queries: Vectors, edge: int) -> Rows:
        """Every row that may stand in the first `edge` places, ties within rounding included."""
        import faiss

        count = len(self._vectors)
        width = min(count, 2 * edge + 16)
        if self.neighbours is not None:
            return self.neighbours.nearest(queries, width)
        while True:
            found, rows = faiss.knn(
                queries, self._vectors, width, metric=faiss.METRIC_INNER_PRODUCT
            )
            if width == count or (found[:, -1] < found[:, edge - 1] - NEAR).all():
                return np.asarray(rows, dtype=np.int32)
            width = min(count, 2 * width)

    def _cosines(self, queries: Vectors, candidates: Rows) -> Scores:
        cosines = np.full(candidates.shape, np.nan)
        for row, (query, wanted) in enumerate(zip(queries, candidates, strict=True)):
            if not query.any():
                continue
            vectors = np.asarray(self._vectors[np.maximum(wanted, 0)], dtype=np.float64)
            alive = (wanted >= 0) & np.any(vectors, axis=1)
            cosines[row, alive] = (vectors * query.astype(np.float64)).sum(axis=1)[alive]
        return np.where(np.abs(cosines) < DUST, 0.0, cosines)

    def _embed(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        """Unit vectors [n, d]; zeros for blank texts."""
        places = [place for place, text in enumerate(texts) if text.strip()]
        wanted = [texts[place] for place in places]
        found = self._query_vectors(wanted) if queries else self._text_vectors(wanted)
        raw = np.asarray(found, dtype=np.float64).reshape(len(places), -1 if places else 0)
        if not np.isfinite(raw).all():
            place = places[int(np.argwhere(~np.isfinite(raw))[0, 0])]
            kind = "query" if queries else "text"
            raise ValueError(
                f"The embedding of {kind} number {place + 1} is not finite: {texts[place][:60]!r}."
            )
        vectors = np.zeros((len(texts), raw.shape[1]), dtype=np.float32)
        vectors[places] = unit_vectors(raw)
        return vectors

    def _text_vectors(self, texts: list[str]) -> list[list[float]]:
        return self.embedding.get_text_embedding_batch(texts, show_progress=False)

    def _query_vectors(self, texts: list[str]) -> list[list[float]]:
        if hasattr(self.embedding, "get_query_embedding_batch"):
            return self.embedding.get_query_embedding_batch(texts)  # type: ignore[no-any-return]
        return [self.embedding.get_query_embedding(text) for text in texts]


def unit_vectors(raw: NDArray[np.float64]) -> Vectors:
    """The rows at length 1, in single precision; a zero vector stays one."""
    norms = np.linalg.norm(raw, axis=1, keepdims=True)
    return np.asarray(raw / np.where(norms > 0, norms, 1.0), dtype=np.float32)


def _blocks(rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    return (rows[begin : begin + BLOCK] for begin in range(0, len(rows), BLOCK))
