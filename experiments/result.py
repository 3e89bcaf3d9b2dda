"""One trial: a pipeline run and scored on a dataset. What it leaves is kept in the store."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.cautions.circular_labels import circular_labels
from experiments.cautions.leaked_questions import leaked_questions
from experiments.chunking import span_of
from experiments.cost.measures import cost_of
from experiments.gate_confusion import confusion
from experiments.gold_path import GoldPaths, gold_paths
from experiments.identity import describe, fingerprint, module_source
from experiments.ledger import LedgerEntry, ScoreRow
from experiments.metrics.per_query import PerQuery
from experiments.parameters import parameters
from experiments.schema import Dataset, Mean
from experiments.splits import SIDES
from experiments.store import NotStorableError
from generation.tally import FAILED
from retrievers.gate import NoGate
from retrievers.ranking import EVERY_PART, Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.evaluation import Evaluator
    from experiments.metrics.significance import PairedDifference
    from experiments.pipeline import Outcome, Pipeline
    from experiments.setting import Setting
    from experiments.splits import Split


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What one pipeline found and scored.

    key: all that can change these numbers, as a JSON value; its hash names the trial.
    ranking: documents.  asked: query id -> the text that was searched.
    blocked: bool [q], by the gate, with a reason for each (empty where it passed).
    notes: one sentence for each thing a reader should know of how it ran.
    scores: one row a query of the splits that may be shown; None without labels.
    means: split -> metric -> mean; empty without labels. A sealed split shows public alone.
    seconds: stage -> wall time when it was computed.
    usage: stage -> what it asked of models when it was computed, as finite numbers.
    gate: what the gate blocked rightly and wrongly, as finite numbers; empty without labels.
    started, ended: of this run, in seconds since the epoch.
    stored: read from the store, so nothing was computed.
    cautions: one sentence for each sign that the scores are too good.
    measures: further finite numbers that an experiment shows beside the scores; the store keeps
        none of them.
    cost: what it cost when it was computed (`cost_of`); finite numbers.
    gold: how far each gold passage of the scored queries came; None without labels.
    """

    key: Mapping[str, Any]
    parameters: Mapping[str, str]
    ranking: Ranking
    asked: Mapping[str, str]
    blocked: NDArray[np.bool_]
    reasons: Sequence[str]
    notes: Sequence[str]
    scores: PerQuery | None
    means: Mapping[str, Mapping[str, Mean]]
    seconds: Mapping[str, float]
    started: float
    ended: float
    usage: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    gate: Mapping[str, float] = field(default_factory=dict)
    stored: bool = False
    cautions: Sequence[str] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)
    gold: GoldPaths | None = None


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
        "metrics": describe(setting.metrics),
        "pipeline": describe(pipeline),
        "source": module_source("experiments.result"),
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


def _count(
    setting: Setting,
    pipeline: Pipeline,
    dataset: Dataset,
    split: Split,
    experiment: str,
    scores: PerQuery | None,
) -> None:
    """Tell the ledger, where there is one; private scores only of a split that shows them."""
    if setting.ledger is not None:
        sides = [side for side in split.shown if side in SIDES]
        rows = [row for side in sides if scores for row in score_rows(scores, side, split)]
        trial = fingerprint(describe(pipeline))
        entry = LedgerEntry(trial, split.public, experiment, rows)
        setting.ledger.record(dataset.fingerprint, [entry])


def score_rows(scores: PerQuery, side: str, split: Split) -> list[ScoreRow]:
    """What the ledger keeps of one side: each metric's score of each of its queries."""
    places = {query: row for row, query in enumerate(scores.query_ids)}
    rows = [places[query] for query in split.of(side)]
    return [
        ScoreRow(side, metric, split.of(side), scores.column(metric)[rows])
        for metric in scores.metrics
    ]


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


def save_result(result: Result, folder: Path) -> None:
    """Write a trial into a folder: arrays as npy, the rest as JSON.

    Raises NotStorableError for one in which calls of a model failed: it is not what was asked for.
    """
    _refuse_incomplete(result)
    np.save(folder / "nodes.npy", result.ranking.nodes)
    np.save(folder / "ranking_scores.npy", result.ranking.scores)
    np.save(folder / "blocked.npy", result.blocked)
    if result.scores is not None:
        np.save(folder / "per_query.npy", result.scores.values)
    page = {
        "key": result.key,
        "parameters": dict(result.parameters),
        "query_ids": result.ranking.query_ids,
        "document_ids": result.ranking.node_ids,
        "asked": dict(result.asked),
        "reasons": list(result.reasons),
        "notes": list(result.notes),
        "cautions": list(result.cautions),
        "scores": None if result.scores is None else _labels(result.scores),
        "means": {s: {m: asdict(v) for m, v in by.items()} for s, by in result.means.items()},
        "seconds": dict(result.seconds),
        "usage": {stage: dict(numbers) for stage, numbers in result.usage.items()},
        "gate": dict(result.gate),
        "started": result.started,
        "ended": result.ended,
        "cost": dict(result.cost),
        "gold": None if result.gold is None else result.gold.to_json(),
    }
    (folder / "trial.json").write_text(json.dumps(page), encoding="utf-8")


def load_result(folder: Path) -> Result:
    """Read what `save_result` wrote."""
    page = json.loads((folder / "trial.json").read_text(encoding="utf-8"))
    ranking = Ranking(
        tuple(page["query_ids"]),
        tuple(page["document_ids"]),
        np.load(folder / "nodes.npy", allow_pickle=False),
        np.load(folder / "ranking_scores.npy", allow_pickle=False),
    )
    scores = None
    if page["scores"] is not None:
        values = np.load(folder / "per_query.npy", allow_pickle=False)
        lists = {name: tuple(value) for name, value in page["scores"].items() if name != "missing"}
        scores = PerQuery(values=values, missing=page["scores"]["missing"], **lists)
    return Result(
        key=page["key"],
        parameters=page["parameters"],
        ranking=ranking,
        asked=page["asked"],
        blocked=np.load(folder / "blocked.npy", allow_pickle=False),
        reasons=page["reasons"],
        notes=page["notes"],
        cautions=page["cautions"],
        scores=scores,
        means={s: {m: Mean(**v) for m, v in by.items()} for s, by in page["means"].items()},
        seconds=page["seconds"],
        usage=page["usage"],
        gate=page["gate"],
        started=page["started"],
        ended=page["ended"],
        stored=True,
        cost=page["cost"],
        gold=None if page["gold"] is None else GoldPaths.from_json(page["gold"]),
    )


def _run(
    key: Mapping[str, Any], pipeline: Pipeline, dataset: Dataset, split: Split, setting: Setting
) -> Result:
    started = time.time()
    outcome = pipeline.run(dataset, setting.store)
    visible = {query for side in split.shown for query in split.of(side)}
    query_ids = [query.id for query in dataset.queries if query.id in visible]
    scores = _scores(outcome, dataset, query_ids, setting.metrics)
    plans = [plan.for_part(EVERY_PART) for plan in outcome.plans]
    stopped = [plan.id for plan, stop in zip(plans, outcome.gate.blocked, strict=True) if stop]
    table = confusion(dataset, stopped, query_ids) if _gates(pipeline) else None
    return Result(
        key=key,
        parameters=parameters(pipeline),
        ranking=outcome.ranking,
        asked={plan.id: "\n".join(plan.texts[EVERY_PART]) for plan in plans},
        blocked=outcome.gate.blocked,
        reasons=outcome.gate.reasons,
        notes=[*outcome.notes, *([table.sentence()] if table else [])],
        cautions=_cautions(key, outcome, dataset, query_ids),
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


def _cautions(
    key: Mapping[str, Any], outcome: Outcome, dataset: Dataset, query_ids: Sequence[str]
) -> tuple[str, ...]:
    """Signs that these scores are too good; labels of sealed queries are not looked at."""
    circular = circular_labels(outcome.retrieved, outcome.nodes, dataset.qrels or {}, query_ids)
    return (*leaked_questions(dataset.queries, key["pipeline"]), *circular)


def _gates(pipeline: Pipeline) -> bool:
    return not isinstance(pipeline.gate, NoGate)


def _refuse_incomplete(result: Result) -> None:
    failed = sum(
        count
        for numbers in result.usage.values()
        for name, count in numbers.items()
        if name.startswith(FAILED)
    )
    if failed:
        raise NotStorableError(
            f"{failed:g} calls of a model failed in this trial, so it is not kept: run it again "
            "to make those calls alone."
        )


def _scores(
    outcome: Outcome, dataset: Dataset, query_ids: Sequence[str], metrics: Evaluator
) -> PerQuery | None:
    if dataset.spans is not None:
        chunks = {node.node_id: span_of(node) for node in outcome.nodes}
        return metrics.evaluate_spans(outcome.ranked, dataset.spans, chunks, query_ids)
    if dataset.qrels is None:
        return None
    return metrics.evaluate(outcome.ranking, dataset.qrels, query_ids)


def _labels(scores: PerQuery) -> dict[str, Any]:
    return {
        "query_ids": scores.query_ids,
        "metrics": scores.metrics,
        "higher_is_better": scores.higher_is_better,
        "notes": scores.notes,
        "missing": scores.missing,
    }
