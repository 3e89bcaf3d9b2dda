"""One pipeline, run and scored."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.schema import Dataset, Mean, Span
from retrievers.ranking import EVERY_PART

if TYPE_CHECKING:
    from experiments.evaluation import Evaluator
    from experiments.metrics.per_query import PerQuery
    from experiments.metrics.significance import PairedDifference
    from experiments.pipeline import Outcome, Pipeline
    from experiments.setting import Setting
    from experiments.splits import Split


@dataclass(frozen=True, slots=True)
class Result:
    """What one pipeline scored on one dataset.

    scores: one row a query; None where the dataset has no labels.
    means: split -> metric -> mean; empty without labels. A sealed split shows public alone.
    started, ended: seconds since the epoch.
    """

    name: str
    pipeline: Pipeline
    outcome: Outcome
    scores: PerQuery | None
    means: Mapping[str, Mapping[str, Mean]]
    started: float
    ended: float

    def asked(self) -> dict[str, str]:
        """Query id -> the text that was searched, several texts in lines of their own."""
        plans = self.outcome.plans
        return {plan.id: "\n".join(plan.for_part(EVERY_PART).texts[EVERY_PART]) for plan in plans}


def judge(
    name: str, pipeline: Pipeline, dataset: Dataset, split: Split, setting: Setting
) -> Result:
    """Run a pipeline over a dataset and score its ranking on every split that may be shown."""
    started = time.time()
    outcome = pipeline.run(dataset, setting.store)
    visible = {query for side in split.shown for query in split.of(side)}
    query_ids = [query.id for query in dataset.queries if query.id in visible]
    scores = _scores(outcome, dataset, query_ids, setting.metrics)
    means = {side: scores.mean(split.of(side)) for side in split.shown} if scores else {}
    return Result(name, pipeline, outcome, scores, means, started, time.time())


def differences(
    result: Result, baseline: Result, split: Split
) -> dict[str, dict[str, PairedDifference]]:
    """Split -> metric -> result minus baseline, over the queries that both scored."""
    if result.scores is None or baseline.scores is None:
        return {}
    return {
        side: {
            metric: result.scores.difference(baseline.scores, metric, split.of(side))
            for metric in result.scores.metrics
        }
        for side in split.shown
    }


def _scores(
    outcome: Outcome, dataset: Dataset, query_ids: Sequence[str], metrics: Evaluator
) -> PerQuery | None:
    if dataset.spans is not None:
        chunks = {
            node.node_id: Span(node.ref_doc_id, node.start_char_idx, node.end_char_idx)
            for node in outcome.nodes
        }
        return metrics.evaluate_spans(outcome.ranked, dataset.spans, chunks, query_ids)
    if dataset.qrels is None:
        return None
    return metrics.evaluate(outcome.ranking, dataset.qrels, query_ids)
