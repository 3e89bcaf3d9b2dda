"""Approximate nearest neighbours: a graph that is walked instead of looking at every vector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.ranking import Rows

_FILE = "hnsw.faiss"


class Hnsw:
    """Hierarchical navigable small worlds (Malkov & Yashunin, TPAMI 2020), by FAISS.

    links: of a vector to its neighbours; more cost memory (8 bytes each) and find more.
    build_depth: candidates that are looked at when a vector is linked.
    search_depth: candidates that a query looks at; never fewer than it wants.
    Built in one thread in the order of the corpus, so that the same corpus gives the same graph.

    Raises ValueError for links below 2 and depths below 1.
    """

    def __init__(self, links: int = 32, *, build_depth: int = 200, search_depth: int = 200) -> None:
        if links < 2 or build_depth < 1 or search_depth < 1:
            raise ValueError(
                f"hnsw got links={links}, build_depth={build_depth} and search_depth="
                f"{search_depth}: give links from 2 and depths from 1."
            )
        self.links, self.build_depth, self.search_depth = links, build_depth, search_depth
        self._graph: Any = None

    def build(self, vectors: NDArray[np.float32]) -> None:
        """Link the rows of `vectors`, [n, d], by their inner products."""
        import faiss

        self._graph = None
        if vectors.size:
            self._graph = faiss.IndexHNSWFlat(
                vectors.shape[1], self.links, faiss.METRIC_INNER_PRODUCT
            )
            self._graph.hnsw.efConstruction = self.build_depth
            with _one_thread():
                self._graph.add(np.ascontiguousarray(vectors))

    def nearest(self, queries: NDArray[np.float32], width: int) -> Rows:
        """Nearly the nearest rows to each query, int32 [q, width]; -1 where there is none."""
        if self._graph is None:
            return np.full((len(queries), width), -1, dtype=np.int32)
        self._graph.hnsw.efSearch = max(self.search_depth, width)
        _, rows = self._graph.search(np.ascontiguousarray(queries), width)
        return np.asarray(rows, dtype=np.int32)

    def save(self, folder: Path) -> None:
        """Write the graph, where there is one."""
        import faiss

        if self._graph is not None:
            faiss.write_index(self._graph, str(folder / _FILE))

    def load(self, folder: Path) -> None:
        """Read what `save` wrote."""
        import faiss

        path = folder / _FILE
        self._graph = faiss.read_index(str(path)) if path.exists() else None


@contextmanager
def _one_thread() -> Iterator[None]:
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
