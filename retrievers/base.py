"""The shape of a retriever: all queries at once for us, one at a time for LlamaIndex."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle

from retrievers.ranking import EVERY_PART, QueryPlan, Ranking, Rows, Scores, best_first

RECIPROCAL_RANK_OFFSET = 60
"""Cormack, Clarke & Büttcher (SIGIR 2009): reciprocal rank fusion scores 1 / (60 + rank)."""


class BatchRetriever(BaseRetriever):
    """A LlamaIndex retriever whose real work is done for many queries at once.

    A new method is a subclass with `search`, and `index`, `save` and `load` for what it keeps.
    Every constructor argument stays readable under its own name: the store keys entries by it.
    """

    name: str
    similarity_top_k: int = 10

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._nodes: Sequence[BaseNode] = ()

    def build(self, nodes: Sequence[BaseNode]) -> None:
        """Index `nodes`, in corpus order."""
        self.attach(nodes)
        self.index([indexed_text(node) for node in nodes])

    def attach(self, nodes: Sequence[BaseNode]) -> None:
        """Name the nodes of an index that `load` brought back."""
        self._nodes = nodes

    @property
    def node_ids(self) -> tuple[str, ...]:
        return tuple(node.node_id for node in self._nodes)

    @abstractmethod
    def index(self, texts: Sequence[str]) -> None:
        """Make the index of the texts; row i of every result is text i."""

    @abstractmethod
    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        """The best `depth` rows for each text, as `best_first` returns them; hits only."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the index into an existing, empty folder (no pickle)."""

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Read what `save` wrote; memory-mapped where that helps."""

    def score(self, texts: Sequence[str], candidates: Rows) -> Scores:
        """This method's scores of given candidates, float64 [q, c]; NaN where candidates is -1."""
        raise ValueError(
            f"{type(self).__name__} cannot score given candidates: use missing=min or missing=zero."
        )

    def leaves(self) -> Mapping[str, BatchRetriever]:
        """Name -> the retrievers that hold an index: itself, or the parts of a fusion."""
        return {self.name: self}

    def combine(
        self, plans: Sequence[QueryPlan], found: Mapping[str, Ranking], depth: int
    ) -> Ranking:
        """One ranking from those of the leaves; a leaf returns its own."""
        return found[self.name].head(depth)

    def retrieve_many(self, plans: Sequence[QueryPlan], depth: int) -> Ranking:
        """The ranking of each plan's query. Several texts of a plan are fused by reciprocal rank."""
        texts = [plan.for_part(self.name).texts[EVERY_PART] for plan in plans]
        rows, scores = self.search([text for several in texts for text in several], depth)
        if any(len(several) != 1 for several in texts):
            rows, scores = fuse_by_rank(rows, scores, [len(several) for several in texts], depth)
        query_ids = tuple(plan.id for plan in plans)
        return Ranking(query_ids, self.node_ids, rows, scores, {self.name: scores})

    def score_many(self, plans: Sequence[QueryPlan], candidates: Rows) -> Scores:
        """`score` for plans of one text each."""
        texts = [plan.for_part(self.name).texts[EVERY_PART] for plan in plans]
        if any(len(several) != 1 for several in texts):
            raise ValueError("missing=exact needs one text a query; use missing=min here.")
        return self.score([text for (text,) in texts], candidates)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        plan = QueryPlan("query", {EVERY_PART: (query_bundle.query_str,)})
        ranking = self.retrieve_many([plan], self.similarity_top_k)
        found = zip(ranking.nodes[0], ranking.scores[0], strict=True)
        return [NodeWithScore(node=self._nodes[n], score=float(s)) for n, s in found if n >= 0]


def indexed_text(node: BaseNode) -> str:
    """What retrievers index of a node: its text with the metadata that is meant to be searched."""
    return node.get_content(metadata_mode=MetadataMode.EMBED)


def fuse_by_rank(
    rows: Rows, scores: Scores, counts: Sequence[int], depth: int
) -> tuple[Rows, Scores]:
    """Reciprocal rank fusion of consecutive lists: the first counts[0] rows make query 0, and so on."""
    places = np.where(rows >= 0, 1.0 / (RECIPROCAL_RANK_OFFSET + 1 + np.arange(rows.shape[1])), 0.0)
    ends = np.cumsum(counts)
    fused = [
        _sum_by_row(rows[end - count : end], places[end - count : end])
        for end, count in zip(ends, counts, strict=True)
    ]
    width = max((len(found) for found, _ in fused), default=0)
    candidates = np.full((len(fused), width), -1, dtype=np.int32)
    sums = np.full((len(fused), width), np.nan)
    for query, (found, total) in enumerate(fused):
        candidates[query, : len(found)] = found
        sums[query, : len(found)] = total
    return best_first(sums, depth, candidates)


def _sum_by_row(rows: Rows, values: Scores) -> tuple[Rows, Scores]:
    found, place = np.unique(rows[rows >= 0], return_inverse=True)
    return found, np.bincount(place, weights=values[rows >= 0], minlength=len(found))
