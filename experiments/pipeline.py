"""The way of the data: chunks, plans, first retrieval, gate, postprocessors, ranking."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from experiments.candidates import document_ranking, load_ranking, save_ranking
from experiments.chunking import chunk
from experiments.identity import describe, fingerprint

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.schema import TextNode

    from experiments.schema import Dataset
    from experiments.store import StageStore
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
    """

    nodes: Sequence[TextNode]
    plans: Sequence[QueryPlan]
    gate: GateDecision
    retrieved: Ranking
    ranked: Ranking
    prompt: Ranking
    ranking: Ranking
    seconds: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """The parts of one retrieval pipeline, from documents to a ranking of documents.

    depth: how many distinct documents each query should get, where the corpus has them.
    """

    chunker: Any
    enrich: Any
    query: Any
    retriever: BatchRetriever
    gate: Any
    postprocessors: Mapping[str, Any] = field(default_factory=dict)
    depth: int = 100

    def run(self, dataset: Dataset, store: StageStore) -> Outcome:
        """All queries through each stage in turn."""
        ranking_parts, reorders = _by_role(self.postprocessors)
        clock = Stopwatch()
        with clock("chunk"):
            nodes, plans = self.read(dataset)
        with clock("index"):
            index_keys = self.index(nodes, dataset, store)
        with clock("retrieve"):
            retrieved, ranking = self._retrieve(plans, nodes, index_keys, store)
        with clock("gate"):
            gate = self.gate.decide(plans, retrieved, self.retriever)
        with clock("postprocess"):
            ranked = _through(ranking_parts, retrieved.without(gate.blocked), plans, nodes)
            prompt = _through(reorders, ranked, plans, nodes)
            if ranking_parts:
                ranking = document_ranking(ranked, nodes, self.depth)
        ranking = ranking.without(gate.blocked)
        return Outcome(nodes, plans, gate, retrieved, ranked, prompt, ranking, clock.seconds)

    def read(self, dataset: Dataset) -> tuple[Sequence[TextNode], Sequence[QueryPlan]]:
        """The enriched chunks of a dataset, and what is asked of the retriever."""
        nodes = self.enrich.enrich(chunk(dataset.corpus, self.chunker))
        return nodes, self.query.plan(dataset.queries)

    def index(
        self, nodes: Sequence[TextNode], dataset: Dataset, store: StageStore
    ) -> Mapping[str, Any]:
        """Build or load the index of every leaf; returns what each leaf's results depend on."""
        corpus = [dataset.fingerprint, describe(self.chunker), describe(self.enrich)]
        self.retriever.attach(nodes)
        keys = {}
        for name, leaf in self.retriever.leaves().items():
            keys[name] = {"corpus": corpus, "retriever": describe(leaf)}
            _index(leaf, nodes, keys[name], store)
        return keys

    def candidates(
        self,
        plans: Sequence[QueryPlan],
        depth: int,
        index_keys: Mapping[str, Any],
        store: StageStore,
    ) -> dict[str, Ranking]:
        """What each leaf finds, `depth` nodes a query, before they are combined."""
        return {
            name: _candidates(name, leaf, plans, depth, index_keys[name], store)
            for name, leaf in self.retriever.leaves().items()
        }

    def _retrieve(
        self,
        plans: Sequence[QueryPlan],
        nodes: Sequence[TextNode],
        index_keys: Mapping[str, Any],
        store: StageStore,
    ) -> tuple[Ranking, Ranking]:
        """The ranking of nodes, deep enough that `depth` documents stand in it, and theirs."""
        depth = self.depth
        while True:
            wanted = self.retriever.candidate_depth(depth)
            found = self.candidates(plans, wanted, index_keys, store)
            retrieved = self.retriever.combine(plans, found, depth)
            ranking = document_ranking(retrieved, nodes, self.depth)
            short = (ranking.lengths() < self.depth) & (retrieved.lengths() >= depth)
            if depth >= len(nodes) or not short.any():
                return retrieved, ranking
            depth = min(2 * depth, len(nodes))


def _by_role(parts: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Those that rank, and those that only order the prompt, which must stand last."""
    orders_prompt = [getattr(part, "prompt_order_only", False) for part in parts.values()]
    if orders_prompt != sorted(orders_prompt):
        late = [name for name, last in zip(parts, orders_prompt, strict=True) if last]
        right = [name for name in parts if name not in late] + late
        raise ValueError(
            f"{late[0]} only orders the prompt, so it stands last: "
            f"write postprocessor=[{','.join(right)}]."
        )
    ranking = [part for part, last in zip(parts.values(), orders_prompt, strict=True) if not last]
    return ranking, list(parts.values())[len(ranking) :]


def _through(
    parts: Sequence[Any], ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[TextNode]
) -> Ranking:
    for part in parts:
        ranking = part.postprocess_many(ranking, plans, nodes)
    return ranking


def _index(leaf: BatchRetriever, nodes: Sequence[TextNode], key: Any, store: StageStore) -> None:
    """Build a leaf's index, or read it back."""

    def build() -> None:
        leaf.build(nodes)

    def save(_: None, folder: Path) -> None:
        leaf.save(folder)

    store.remember("index", key, build, save, leaf.load)


def _candidates(
    name: str,
    leaf: BatchRetriever,
    plans: Sequence[QueryPlan],
    depth: int,
    index_key: Any,
    store: StageStore,
) -> Ranking:
    own = [plan.for_part(name) for plan in plans]
    asked = fingerprint([[plan.id, describe(plan.texts)] for plan in own])
    key = {"index": index_key, "plans": asked, "depth": depth}
    return store.remember(
        "candidates",
        key,
        build=lambda: leaf.retrieve_many(own, depth),
        save=save_ranking,
        load=lambda folder: load_ranking(folder, leaf.node_ids, name),
    )


class Stopwatch:
    """Seconds by stage, in the order they ran."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the block to the stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            self.seconds[stage] = self.seconds.get(stage, 0.0) + spent
