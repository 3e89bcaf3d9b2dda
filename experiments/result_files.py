"""How a trial stands in the store: arrays as npy, the rest as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from experiments.gold_path import GoldPaths
from experiments.metrics.per_query import PerQuery
from experiments.result import Result
from experiments.schema import Mean
from experiments.store import NotStorableError
from generation.tally import FAILED
from retrievers.ranking import Ranking


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


def _labels(scores: PerQuery) -> dict[str, Any]:
    return {
        "query_ids": scores.query_ids,
        "metrics": scores.metrics,
        "higher_is_better": scores.higher_is_better,
        "notes": scores.notes,
        "missing": scores.missing,
    }
