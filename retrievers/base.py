"""The shape of a retriever: all queries at once for us, one at a time for LlamaIndex."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle

from retrievers.analyzers import Analyzer
from retrievers.ranking import EVERY_PART, Flags, QueryPlan, Ranking, Rows, Scores
from retrievers.score_fusion import fuse_by_rank


@runtime_checkable
class TermRetriever(Protocol):
    """A retriever that weights the terms of an analyzer: the terms can be made, and kept, apart."""

    @property
    def term_analyzer(self) -> Analyzer:
        """What makes the terms of texts and queries."""
        ...

    def index_terms(self, terms: Sequence[Sequence[str]]) -> None:
        """Make the index of texts whose terms these are."""
        ...


class BatchRetriever(BaseRetriever):
    """A LlamaIndex retriever whose real work is done for many queries at once.

    A new method is a subclass with `search`, and `index`, `save` and `load` for what it keeps.
    Every constructor argument stays readable under its own name: the store keys entries by it.
    """

    labels: ClassVar[frozenset[str]] = frozenset({"name"})
    """Arguments that change no result: what a part is called."""

    name: str
    similarity_top_k: int = 10

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._nodes: Sequence[BaseNode] | None = None

    def build(self, nodes: Iterable[BaseNode]) -> None:
        """Index `nodes`, in corpus order. Raises ValueError where two have one id."""
        nodes = [*nodes]
        _refuse_repeats(nodes)
        self.attach(nodes)
        self.index([indexed_text(node) for node in nodes])

    def attach(self, nodes: Sequence[BaseNode]) -> None:
        """Name the nodes of an index that `load` brought back."""
        self._nodes = nodes

    @property
    def nodes(self) -> Sequence[BaseNode]:
        """What is indexed, in corpus order. Raises ValueError before `build` or `attach`."""
        if self._nodes is None:
            raise ValueError(
                f"{self.name} has no passages yet: call build(nodes), or attach(nodes) and "
                f"load(folder), before it is asked."
            )
        return self._nodes

    @property
    def node_ids(self) -> tuple[str, ...]:
        return tuple(node.node_id for node in self.nodes)

    @property
    def lexical(self) -> bool:
        """Whether a result shares a word with the query; a part of a word does not count."""
        return False

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

    def spread(self, texts: Sequence[str], among: Flags) -> Scores:
        """How well each text tells passages apart: the standard deviation of its scores, [q].

        among: bool [n], the passages to look at. One that is no hit scores 0; NaN for a text
        without a hit among them.
        """
        rows, scores = self.search(texts, len(among))
        lost = (rows < 0) | ~among[rows]
        found = np.where(lost, 0.0, scores)
        mean, square = found.sum(axis=1) / among.sum(), (found**2).sum(axis=1) / among.sum()
        return np.where(lost.all(axis=1), np.nan, np.sqrt(np.maximum(square - mean**2, 0.0)))

    def leaves(self) -> Mapping[str, BatchRetriever]:
        """Name -> the retrievers that hold an index: itself, or the parts of a fusion."""
        return {self.name: self}

    def candidate_depth(self, depth: int) -> int:
        """How deep each leaf has to be searched for a ranking of `depth`."""
        return depth

    @property
    def combine_searches(self) -> bool:
        """Whether `combine` asks the leaves' indexes; else what they found is all it needs."""
        return False

    def combine(
        self,
        plans: Sequence[QueryPlan],
        found: Mapping[str, Ranking],
        depth: int,
    ) -> Ranking:
        """One ranking from those of the leaves; a leaf returns its own."""
        return found[self.name].head(depth)

    def retrieve_many(self, plans: Sequence[QueryPlan], depth: int) -> Ranking:
        """The ranking of each plan's query; several texts of a plan are fused by their ranks.

        Raises ValueError for a depth below 1 and before `build`.
        """
        self.check_asked(depth)
        texts = [plan.for_part(self.name).texts[EVERY_PART] for plan in plans]
        rows, scores = self.search([text for several in texts for text in several], depth)
        if any(len(several) != 1 for several in texts):
            rows, scores = fuse_by_rank(rows, [len(several) for several in texts], depth)
        query_ids = tuple(plan.id for plan in plans)
        return Ranking(query_ids, self.node_ids, rows, scores, {self.name: scores})

    def check_asked(self, depth: int) -> None:
        """Raises ValueError where a search of that depth cannot be answered."""
        if depth < 1:
            raise ValueError(
                f"{self.name} was asked for {depth} results: give a depth (similarity_top_k where "
                f"LlamaIndex asks) from 1."
            )
        _ = self.nodes

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
        return [NodeWithScore(node=self.nodes[n], score=float(s)) for n, s in found if n >= 0]


def _refuse_repeats(nodes: Sequence[BaseNode]) -> None:
    """Raises ValueError where two nodes have one id: a result could not say which it is."""
    places: dict[str, int] = {}
    for place, node in enumerate(nodes):
        if places.setdefault(node.node_id, place) != place:
            raise ValueError(
                f"Nodes number {places[node.node_id] + 1} and {place + 1} both have the id "
                f'"{node.node_id}": give each node an id of its own.'
            )


def indexed_text(node: BaseNode) -> str:
    """What retrievers index of a node: its text with the metadata that is meant to be searched."""
    return node.get_content(metadata_mode=MetadataMode.EMBED)
