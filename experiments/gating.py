"""A gate's verdict on queries; what it measures for it, without regard to the fusion, is kept."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from experiments.identity import asked_plans, describe
from experiments.stage_files import load_values, save_values

if TYPE_CHECKING:
    from experiments.indexes import Indexes
    from experiments.pipeline import Pipeline
    from experiments.store import StageStore
    from retrievers.base import BatchRetriever
    from retrievers.gate import GateDecision
    from retrievers.ranking import QueryPlan, Ranking

_STAGE = "gate"


def decide(
    pipeline: Pipeline,
    plans: Sequence[QueryPlan],
    retrieved: Ranking,
    indexes: Indexes,
    store: StageStore,
) -> tuple[GateDecision, float]:
    """The verdict of the pipeline's gate on each plan, and the seconds that its measures took when
    they were made, without what had to be loaded first; 0 for a gate that measures nothing.

    indexes: of the pipeline's retriever, or of one that has its leaves and more; a gate with a
        judge of its own asks that.
    """
    gate, (judge, asked) = pipeline.gate, _judged_by(pipeline, indexes)
    if getattr(gate, "measure", None) is None:
        if not hasattr(gate, "measure"):  # of another make: it may ask the indexes
            asked.open()
        return gate.decide(plans, retrieved, judge), 0.0

    def measure() -> dict[str, Any]:
        asked.open()
        if plans:
            judge.retrieve_many(plans[:1], 1)  # what loads with the first query is no gate's cost
        began = perf_counter()
        return {"joined": gate.measure(plans, judge), "seconds": perf_counter() - began}

    key = _key(gate, plans, judge, asked)
    found = store.remember(_STAGE, key, measure, save_values, load_values)
    return gate.decide(plans, retrieved, judge, found["joined"]), found["seconds"]


def _judged_by(pipeline: Pipeline, indexes: Indexes) -> tuple[BatchRetriever, Indexes]:
    judge = getattr(pipeline.gate, "judge", None)
    if judge is None or judge is pipeline.retriever:
        return pipeline.retriever, indexes
    return judge, indexes.of_another(judge)


def _key(
    gate: Any, plans: Sequence[QueryPlan], judge: BatchRetriever, asked: Indexes
) -> dict[str, Any]:
    keys = asked.keys()
    return {
        "gate": describe(gate.measure),
        "kept": ["joined", "seconds"],
        "indexes": {name: keys[name] for name in judge.leaves()},
        "plans": asked_plans(plans),
    }
