"""One trial: a pipeline run and scored on a dataset, or read from the store, and counted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from experiments.cautions.circular_labels import circular_labels
from experiments.cautions.easier_questions import easier_than_target
from experiments.cautions.leaked_questions import leaked_questions
from experiments.chunking import span_of
from experiments.cost.measures import cost_of
from experiments.gate_confusion import confusion
from experiments.gold_path import gold_paths
from experiments.identity import describe, fingerprint, module_source
from experiments.metrics.per_query import PerQuery
from experiments.metrics.preflight import empty_lists
from experiments.parameters import parameters
from experiments.pooled_scores import with_judged
from experiments.result import Result, record_trials
from experiments.result_files import load_result, save_result
from experiments.schema import Dataset, Target
from retrievers.gate import NoGate
from retrievers.ranking import EVERY_PART

if TYPE_CHECKING:
    from experiments.evaluation import Evaluator
    from experiments.pipeline import Outcome, Pipeline
    from experiments.setting import Setting
    from experiments.splits import Split
    from retrievers.ranking import QueryPlan


def judge(
    pipeline: Pipeline, dataset: Dataset, split: Split, setting: Setting, experiment: str = "judge"
) -> Result:
    """The trial of a pipeline: read from the store where it has been run before.

    It is keyed by the dataset's content, the split, the metrics and every part of the pipeline.
    The ledger counts it under the title of the experiment, also where it fails.
    """
    try:
        result = _remembered(pipeline, dataset, split, setting)
    except Exception:
        _count(setting, pipeline, dataset, split, experiment, None)
        raise
    _count(setting, pipeline, dataset, split, experiment, result.scores)
    return result


def _remembered(pipeline: Pipeline, dataset: Dataset, split: Split, setting: Setting) -> Result:
    key = {
        "dataset": dataset.fingerprint,
        "split": fingerprint([split.everyone, split.public, split.private, split.sealed]),
        "metrics": describe(with_judged(setting.metrics, dataset)),
        "pipeline": describe(pipeline),
        "source": module_source("experiments.judging"),
        **({"target": _asked(dataset.target)} if dataset.target else {}),
    }
    started = time.time()
    result = setting.store.remember(
        "trials",
        key,
        build=lambda: _run(key, pipeline, dataset, split, setting),
        save=save_result,
        load=load_result,
        again=setting.force,
    )
    return replace(result, started=started, ended=time.time()) if result.stored else result


def _asked(target: Target) -> str:
    return fingerprint([target.name, [query.text for query in target.queries]])


def _count(
    setting: Setting,
    pipeline: Pipeline,
    dataset: Dataset,
    split: Split,
    experiment: str,
    scores: PerQuery | None,
) -> None:
    trial = fingerprint(describe(pipeline)), scores
    record_trials(setting.ledger, dataset, split, experiment, [trial])


def _run(
    key: Mapping[str, Any], pipeline: Pipeline, dataset: Dataset, split: Split, setting: Setting
) -> Result:
    started = time.time()
    outcome = pipeline.run(dataset, setting.store)
    visible = split.visible
    query_ids = [query.id for query in dataset.queries if query.id in visible]
    scores = _scores(outcome, dataset, query_ids, with_judged(setting.metrics, dataset))
    asked = asked_texts(outcome.plans)
    stopped = [query for query, stop in zip(asked, outcome.gate.blocked, strict=True) if stop]
    table = confusion(dataset, stopped, query_ids) if _gates(pipeline) else None
    return Result(
        key=key,
        parameters=parameters(pipeline),
        ranking=outcome.ranking,
        asked=asked,
        blocked=outcome.gate.blocked,
        reasons=outcome.gate.reasons,
        notes=[
            *outcome.notes,
            *([table.sentence()] if table else []),
            *_short_lists(outcome, dataset, setting.metrics),
        ],
        cautions=(
            *_cautions(key, outcome, dataset, query_ids),
            *easier_than_target(dataset, query_ids, setting.store),
        ),
        scores=scores,
        means={side: scores.mean(split.of(side)) for side in split.shown} if scores else {},
        seconds=outcome.seconds,
        usage={stage: spent.numbers() for stage, spent in outcome.usage.items()},
        gate=table.numbers() if table else {},
        started=started,
        ended=time.time(),
        cost=cost_of(outcome),
        gold=gold_paths(outcome, dataset, query_ids),
    )


def asked_texts(plans: Sequence[QueryPlan]) -> dict[str, str]:
    """Query id -> the text that was searched, several of them on lines of their own."""
    return {plan.id: "\n".join(plan.for_part(EVERY_PART).texts[EVERY_PART]) for plan in plans}


def _cautions(
    key: Mapping[str, Any], outcome: Outcome, dataset: Dataset, query_ids: Sequence[str]
) -> tuple[str, ...]:
    """Signs that these scores are too good; labels of sealed queries are not looked at.

    Where spans are labelled, finding the document is no feat and no sign.
    """
    qrels = (dataset.qrels or {}) if dataset.spans is None else {}
    circular = circular_labels(outcome.retrieved, outcome.nodes, qrels, query_ids)
    return (*leaked_questions(dataset.queries, key["pipeline"]), *circular)


def _short_lists(outcome: Outcome, dataset: Dataset, metrics: Evaluator) -> list[str]:
    """That lists cannot be as long as a metric reads them; without labels, that lists are empty."""
    spans = dataset.spans is not None
    if dataset.qrels is None and not spans:
        lengths = outcome.ranking.lengths()
        return [empty_lists(empty, len(lengths))] if (empty := int((lengths == 0).sum())) else []
    there, reads = len(outcome.nodes if spans else dataset.corpus), metrics.reads(spans=spans)
    if reads <= there:
        return []
    return [
        f"A metric reads {reads} results and there are {there} {'chunks' if spans else 'documents'}"
        " to find: no list is longer."
    ]


def _gates(pipeline: Pipeline) -> bool:
    return not isinstance(pipeline.gate, NoGate)


def _scores(
    outcome: Outcome, dataset: Dataset, query_ids: Sequence[str], metrics: Evaluator
) -> PerQuery | None:
    if dataset.spans is not None:
        chunks = {node.node_id: span_of(node) for node in outcome.nodes}
        return metrics.evaluate_spans(outcome.ranked, dataset.spans, chunks, query_ids)
    if dataset.qrels is None:
        return None
    return metrics.evaluate(outcome.ranking, dataset.qrels, query_ids)
