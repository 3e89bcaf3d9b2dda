"""Nearest neighbours of embeddings, found by a Qdrant server."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.ranking import Rows
from retrievers.search_server import RefusedError, SearchServer

NEAR = 1e-5
"""More than two cosines of equal vectors differ by on any server, by rounding."""

NUMBERS_AT_ONCE = 500_000
"""Numbers of one upload: about 10 MB of JSON, a third of what a server takes by default."""

HITS_AT_ONCE = 100_000
QUERIES_AT_ONCE = 50

_FILE = "qdrant.json"


class QdrantServer(SearchServer):
    """A Qdrant server (1.10 or later)."""

    kind: ClassVar[str] = "Qdrant"
    variable: ClassVar[str] = "QDRANT_URL"
    start: ClassVar[str] = "docker run -d -p 127.0.0.1:6333:6333 qdrant/qdrant:v1.15.5"

    def authorization(self, key: str) -> tuple[str, str]:
        return "api-key", key


class QdrantNeighbours:
    """The vectors of a corpus in a Qdrant collection; it finds the candidates of `DenseRetriever`.

    server: where, and with whose key.
    exact: the server looks at every vector; else it walks its graph (HNSW: Malkov & Yashunin,
        TPAMI 2020) and may miss some.
    search_depth: candidates that the walk looks at; never fewer than a query wants.
    A collection is named by the hash of its vectors: a second run finds it and uploads nothing,
    and an upload that was killed goes on. A zero vector has no cosine and is not uploaded. Where a
    query's results may end within a tie the server is asked for more, so that ties are broken by
    `DenseRetriever`, by the row.

    Raises ValueError for a search_depth below 1.
    """

    def __init__(
        self, server: QdrantServer, *, exact: bool = True, search_depth: int = 200
    ) -> None:
        if search_depth < 1:
            raise ValueError(f"Qdrant got search_depth={search_depth}: give 1 or more.")
        self.server, self.exact, self.search_depth = server, exact, search_depth

    def build(self, vectors: NDArray[np.float32]) -> None:
        """Upload the rows of `vectors`, [n, d], unless the server has them."""
        key = hashlib.sha256(repr(vectors.shape).encode() + vectors.tobytes())
        alive = np.flatnonzero(vectors.any(axis=1))
        self._collection, self._count = f"rankproof-{key.hexdigest()[:32]}", len(alive)
        if not len(alive) or self._held() == len(alive):
            return
        self._create(vectors.shape[1])
        step = max(1, NUMBERS_AT_ONCE // vectors.shape[1])
        for begin in range(0, len(alive), step):
            self._upload(vectors, alive[begin : begin + step])
        if (held := self._held()) != len(alive):
            raise ValueError(
                f"Qdrant holds {held or 0} of {len(alive)} vectors after the upload: look into "
                f"its log, then run again; what it has is kept."
            )

    def nearest(self, queries: NDArray[np.float32], width: int) -> Rows:
        """The nearest rows to each query, int32 [q, width or more]; -1 where there is none."""
        wanted, width = width, min(width, self._count)
        found = self._search(queries, width)
        while width < self._count and any(_ends_in_a_tie(points) for points in found):
            width = min(self._count, 2 * width)
            found = self._search(queries, width)
        rows = np.full((len(queries), max(wanted, width)), -1, dtype=np.int32)
        for place, points in enumerate(found):
            rows[place, : len(points)] = [point["id"] for point in points]
        return rows

    def save(self, folder: Path) -> None:
        """Write the collection's name and how many vectors it has."""
        about = {"collection": self._collection, "vectors": self._count}
        (folder / _FILE).write_text(json.dumps(about), encoding="utf-8")

    def load(self, folder: Path) -> None:
        """Read what `save` wrote. Raises ValueError where the server has it no longer."""
        about = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        self._collection, self._count = about["collection"], about["vectors"]
        if self._count and (held := self._held()) != self._count:
            raise ValueError(
                f"Qdrant at {self.server.address} holds {held or 0} of the {self._count} vectors "
                f"of {self._collection}: start the server that has them, or upload them again "
                f"with store.dir=another/folder."
            )

    def _held(self) -> int | None:
        """How many vectors the server has under this name; None where it has no such collection."""
        try:
            answer = self._call("POST", "/points/count", {"exact": True})
        except RefusedError as error:
            if error.status == 404:
                return None
            raise
        return int(answer["count"])

    def _create(self, dimensions: int) -> None:
        try:
            self._call("PUT", "", {"vectors": {"size": dimensions, "distance": "Cosine"}})
        except RefusedError as error:
            if "already exists" not in str(error):
                raise

    def _upload(self, vectors: NDArray[np.float32], rows: NDArray[np.intp]) -> None:
        points = [{"id": int(row), "vector": vectors[row].tolist()} for row in rows]
        self._call("PUT", "/points?wait=true", {"points": points})

    def _search(self, queries: NDArray[np.float32], width: int) -> list[list[Any]]:
        """The points of each query, best first, with their cosines."""
        step = max(1, min(QUERIES_AT_ONCE, HITS_AT_ONCE // max(1, width)))
        found: list[list[Any]] = []
        for begin in range(0, len(queries), step):
            searches = [self._query(query, width) for query in queries[begin : begin + step]]
            answers = self._call("POST", "/points/query/batch", {"searches": searches})
            found += [answer["points"] for answer in answers]
        return found

    def _query(self, query: NDArray[np.float32], width: int) -> dict[str, Any]:
        params = {"exact": True} if self.exact else {"hnsw_ef": max(self.search_depth, width)}
        return {"query": query.tolist(), "limit": width, "params": params}

    def _call(self, method: str, path: str, body: dict[str, Any]) -> Any:
        return self.server.call(method, f"/collections/{self._collection}{path}", body)["result"]


def _ends_in_a_tie(points: Sequence[Any]) -> bool:
    """Whether the last result may tie with one of the half that a caller is sure to want."""
    if not points:
        return False
    middle = points[(len(points) - 1) // 2]
    return bool(middle["score"] - points[-1]["score"] < NEAR)
