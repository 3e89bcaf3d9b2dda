"""Any LlamaIndex retriever as a part of a pipeline or of a fusion."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode

from retrievers.base import BatchRetriever
from retrievers.ranking import Rows, Scores


class ForeignRetriever(BatchRetriever):
    """Asks a retriever of LlamaIndex or of your own, one query after the other.

    make: makes the retriever from all nodes of the corpus; in YAML a function with
        `_partial_: true`. Its results are matched by node id.
    version: a text that you change whenever its results may change, such as "faiss 1.15, bge-m3";
        results are kept under it. None: nothing is kept, for nobody can tell what it depends on.

    Where the retriever has a `similarity_top_k`, it is asked for as many results as are wanted;
    else it gives as many as it was made for. A score of None ranks by place (fuse such a part with
    normalise=rank). A blank query has no results. Results that score exactly 0 at the end of a list
    match nothing and are left out: some BM25 fill their lists up with them, and a fusion by rank
    would give them credit.
    """

    def __init__(
        self,
        make: Callable[[Sequence[BaseNode]], BaseRetriever],
        *,
        version: str | None = None,
        name: str = "foreign",
    ) -> None:
        super().__init__(name)
        self.make, self.version = make, version
        self._once = uuid.uuid4().hex

    def identity(self) -> dict[str, Any]:
        """What its results depend on; without a version no other run has the same."""
        function = getattr(self.make, "func", self.make)
        return {
            "class": f"{type(self).__module__}.{type(self).__qualname__}",
            "make": f"{function.__module__}.{getattr(function, '__qualname__', '')}",
            "options": repr(sorted(getattr(self.make, "keywords", {}).items())),
            "version": self._once if self.version is None else self.version,
        }

    def index(self, texts: Sequence[str]) -> None:
        self._retriever = self.make(self.nodes)

    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        """What it finds for each text, in its order. Raises ValueError for an unknown node."""
        places = {node_id: row for row, node_id in enumerate(self.node_ids)}
        found = [
            self._ask(text, depth, places) if text.strip("\0 \t\r\n") else {} for text in texts
        ]
        width = max(map(len, found), default=0)
        rows = np.full((len(texts), width), -1, dtype=np.int32)
        scores = np.full((len(texts), width), np.nan)
        for query, best in enumerate(found):
            rows[query, : len(best)] = list(best)
            scores[query, : len(best)] = list(best.values())
        return rows, scores

    def save(self, folder: Path) -> None:
        """Nothing: only `make` knows what it made."""

    def load(self, folder: Path) -> None:
        """Make it anew."""
        self._retriever = self.make(self.nodes)

    def _ask(self, text: str, depth: int, places: dict[str, int]) -> dict[int, float]:
        """Row -> score, best first, each once."""
        if hasattr(self._retriever, "similarity_top_k"):
            self._retriever.similarity_top_k = min(depth, len(places))
        best: dict[int, float] = {}
        for item in self._retriever.retrieve(text):
            if item.node.node_id not in places:
                raise ValueError(
                    f"{self.name} returned the node {item.node.node_id!r}, which it was not given: "
                    "let `make` index the nodes it gets, with their ids."
                )
            score = np.nan if item.score is None else float(item.score)
            best.setdefault(places[item.node.node_id], score)
        while best and next(reversed(best.values())) == 0.0:
            best.popitem()
        return dict(list(best.items())[:depth])
