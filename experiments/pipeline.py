"""The way of the data: chunks, plans, first retrieval, gate, postprocessors, ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.candidates import document_ranking, load_ranking, save_ranking, with_rows
from experiments.cost.timing import SearchCost, search_cost
from experiments.enriched import enriched_chunks, notes_on
from experiments.gating import decide
from experiments.identity import asked_plans
from experiments.indexes import Indexes
from experiments.model_usage import UsageMeter
from experiments.postprocessing import by_role, check_parts, through
from experiments.stopwatch import Stopwatch

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

    from experiments.schema import Dataset
    from experiments.store import StageStore
    from generation.tally import StageUsage
    from postprocessors.base import BatchPostprocessor
    from retrievers.base import BatchRetriever
    from retrievers.gate import GateDecision
    from retrievers.ranking import QueryPlan, Ranking


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that one pipeline made of one dataset; nothing later writes back.

    retrieved: nodes as the retriever ranked them, before the gate.
    ranked: nodes after the gate and the postprocessors that rank.
    prompt: the nodes of `ranked` in the order a model reads them.
    ranking: documents, each at the rank of its best chunk; what is scored and submitted.
    seconds: stage -> wall time; a stage that the store answered costs what reading it costs.
    usage: stage -> what it asked of models.
    saved: stage -> seconds that what is kept of it took when it was computed, now or before.
    notes: one sentence for each thing a reader should know of how it ran.
    search: what searching one query at a time costs.
    """

    nodes: Sequence[TextNode]
    plans: Sequence[QueryPlan]
    gate: GateDecision
    retrieved: Ranking
    ranked: Ranking
    prompt: Ranking
    ranking: Ranking
    seconds: Mapping[str, float]
    usage: Mapping[str, StageUsage] = field(default_factory=dict)
    saved: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    search: SearchCost | None = None


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """The parts of one retrieval pipeline, from documents to a ranking of documents.

    depth: how many distinct documents each query should get, where the corpus has them.
    pool: how many nodes of a query go to the postprocessors at most, from `depth` up; None for
        `depth`. A fusion that searches each part 200 deep finds up to 400.
    """

    chunker: Any
    enrich: Any
    query: Any
    retriever: BatchRetriever
    gate: Any
    postprocessors: Mapping[str, Any] = field(default_factory=dict)
    depth: int = 100
    pool: int | None = None

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError(f"depth is {self.depth}: give a whole number, 1 or more.")
        if self.pool is not None and self.pool < self.depth:
            raise ValueError(
                f"pool is {self.pool} and depth is {self.depth}: give a pool from depth up."
            )

    def run(self, dataset: Dataset, store: StageStore) -> Outcome:
        """All queries through each stage in turn."""
        ranking_parts, reorders = by_role(self.postprocessors)
        check_parts(ranking_parts, [*self.retriever.leaves()])
        clock, meter = Stopwatch(), UsageMeter(self)
        with clock("chunk"):
            nodes, plans, indexes = self.read(dataset, store, clock)
        with clock("retrieve"):
            retrieved, ranking = self._retrieve(plans, nodes, indexes, store)
        with clock("gate"):
            gate, measuring = decide(self, plans, retrieved, indexes, store)
        with clock("postprocess"):
            ranked = through(ranking_parts, retrieved.without(gate.blocked), plans, nodes)
            prompt = through(reorders, ranked, plans, nodes)
            if ranking_parts:
                ranking = document_ranking(ranked, nodes, self.depth)
        ranking = ranking.without(gate.blocked)
        usage = meter.read()
        return Outcome(
            nodes,
            plans,
            gate,
            retrieved,
            ranked,
            prompt,
            ranking,
            clock.seconds,
            usage,
            saved={"gate": measuring, "postprocess": meter.saved()},
            notes=self._notes(nodes, gate, [*ranking_parts, *reorders], usage),
            search=search_cost(plans, self.depth, indexes, store),
        )

    def read(
        self, dataset: Dataset, store: StageStore, clock: Stopwatch
    ) -> tuple[Sequence[TextNode], Sequence[QueryPlan], Indexes]:
        """The enriched chunks of a dataset, what is asked of the retriever, and its indexes."""
        _refuse_unread(self.query, self.retriever)
        nodes, corpus = self.chunks(dataset, store)
        self.retriever.attach(nodes)
        indexes = Indexes(self.retriever, nodes=nodes, corpus=corpus, store=store, clock=clock)
        return nodes, self.query.plan(dataset.queries), indexes

    def _notes(
        self,
        nodes: Sequence[TextNode],
        gate: GateDecision,
        parts: Sequence[BatchPostprocessor],
        usage: Mapping[str, StageUsage],
    ) -> tuple[str, ...]:
        said = [*notes_on(self.enrich, nodes), *getattr(self.query, "notes", ()), gate.note]
        said += [note for part in parts for note in part.notes]
        calls = [f"{stage}: {spent.sentence()}" for stage, spent in usage.items()]
        return tuple(filter(None, [*said, *calls]))

    def chunks(self, dataset: Dataset, store: StageStore) -> tuple[Sequence[TextNode], Any]:
        """The enriched chunks of a dataset, and a JSON value of all that can change them."""
        return enriched_chunks(dataset, self.chunker, self.enrich, store)

    def candidates(
        self,
        plans: Sequence[QueryPlan],
        depth: int,
        indexes: Indexes,
        store: StageStore,
    ) -> dict[str, Ranking]:
        """What each leaf finds for a ranking of `depth` nodes, before they are combined."""
        wanted = self.retriever.candidate_depth(depth)
        return {
            name: _candidates(name, plans, wanted, indexes, store)
            for name in self.retriever.leaves()
        }

    def _retrieve(
        self,
        plans: Sequence[QueryPlan],
        nodes: Sequence[TextNode],
        indexes: Indexes,
        store: StageStore,
    ) -> tuple[Ranking, Ranking]:
        """The ranking of nodes, deep enough that `depth` documents stand in it, and theirs.

        Only a query whose chunks come from too few documents is searched deeper, so that no query
        depends on what else is asked.
        """
        depth = self.depth
        retrieved = self._search(plans, depth, indexes, store)
        while True:
            ranking = document_ranking(retrieved, nodes, self.depth)
            full = retrieved.lengths() >= depth
            short = np.flatnonzero((ranking.lengths() < self.depth) & full)
            if depth >= len(nodes) or not short.size:
                return retrieved, ranking
            depth = min(2 * depth, len(nodes))
            deeper = self._search([plans[int(row)] for row in short], depth, indexes, store)
            retrieved = with_rows(retrieved, short, deeper)

    def _search(
        self, plans: Sequence[QueryPlan], depth: int, indexes: Indexes, store: StageStore
    ) -> Ranking:
        found = self.candidates(plans, depth, indexes, store)
        if self.retriever.combine_searches:
            indexes.open()
        return self.retriever.combine(plans, found, max(depth, self.pool or 0))


def _refuse_unread(query: Any, retriever: BatchRetriever) -> None:
    """Raises ValueError where a query is rewritten for a part that the retriever does not have."""
    parts = list(getattr(retriever, "effective_weights", retriever.leaves)())
    if unread := sorted(set(getattr(query, "feeds", None) or ()) - set(parts)):
        raise ValueError(
            f"query.feeds names {unread[0]}, which is no part of the retriever: choose among "
            f"{', '.join(parts)}."
        )
    if hasattr(query, "of"):
        _refuse_unread(query.of, retriever)


def _candidates(
    name: str, plans: Sequence[QueryPlan], depth: int, indexes: Indexes, store: StageStore
) -> Ranking:
    leaf = indexes.retriever.leaves()[name]
    own = [plan.for_part(name) for plan in plans]
    key = {"index": indexes.keys()[name], "plans": asked_plans(own), "depth": depth}

    def build() -> Ranking:
        indexes.open(name)
        return leaf.retrieve_many(own, depth)

    return store.remember(
        "candidates",
        key,
        build,
        save=save_ranking,
        load=lambda folder: load_ranking(folder, leaf.node_ids, name),
    )
