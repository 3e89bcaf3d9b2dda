"""What one pipeline found and scored, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.gold_path import GoldPaths
from experiments.identity import fingerprint
from experiments.ledger import Ledger, LedgerEntry, ScoreRow
from experiments.metrics.multiple_testing import holm_known
from experiments.metrics.per_query import PerQuery
from experiments.schema import Dataset, Mean, Report
from retrievers.ranking import Ranking

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from experiments.metrics.significance import PairedDifference
    from experiments.splits import Split


Differences = Mapping[str, Mapping[str, "PairedDifference"]]
"""Split -> metric -> how a result differs from its baseline."""


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


def marked(results: Iterable[Result]) -> list[tuple[str, PerQuery | None]]:
    """The fingerprint of what each result is of, and its scores."""
    return [(fingerprint(one.key["pipeline"]), one.scores) for one in results]


def score_rows(scores: PerQuery, split: Split) -> list[ScoreRow]:
    """What the ledger keeps: each metric's score of each query, by the sides that are shown."""
    places = {query: row for row, query in enumerate(scores.query_ids)}
    rows = {side: [places[query] for query in split.of(side)] for side in split.sides}
    return [
        ScoreRow(side, metric, split.of(side), scores.column(metric)[rows[side]])
        for side in split.sides
        for metric in scores.metrics
    ]


def record_trials(
    ledger: Ledger | None,
    dataset: Dataset,
    split: Split,
    experiment: str,
    trials: Iterable[tuple[str, PerQuery | None]],
) -> None:
    """Tell the ledger, where there is one; private scores only of a split that shows them.

    trials: the fingerprint of each, and its scores.
    """
    if ledger is not None:
        ledger.record(
            dataset.fingerprint,
            (
                LedgerEntry(
                    mark, split.public, experiment, score_rows(scores, split) if scores else []
                )
                for mark, scores in trials
            ),
        )


def differences(result: Result, baseline: Result, split: Split) -> Differences:
    """Result minus baseline, over the queries that both scored."""
    if result.scores is None or baseline.scores is None:
        return {}
    return {
        side: {
            metric: result.scores.difference(baseline.scores, metric, split.of(side))
            for metric in result.scores.metrics
        }
        for side in split.shown
    }


def against_baseline(
    results: Mapping[str, Result], baseline: str | None, split: Split
) -> Mapping[str, Differences]:
    """Each result minus the baseline's, p corrected for all of them; none without a baseline."""
    if baseline is None:
        return {}
    base = results[baseline]
    return corrected(
        {name: differences(one, base, split) for name, one in results.items() if name != baseline}
    )


def corrected(against: Mapping[str, Differences]) -> Mapping[str, Differences]:
    """The same differences, each p corrected for all pipelines of its split and metric."""
    found = {
        name: {side: dict(by_metric) for side, by_metric in by_side.items()}
        for name, by_side in against.items()
    }
    asked = {(side, metric) for one in found.values() for side in one for metric in one[side]}
    for side, metric in asked:
        tables = [by_side[side] for by_side in found.values() if side in by_side]
        adjusted = holm_known([one[metric].p for one in tables])
        for one, p in zip(tables, adjusted, strict=True):
            one[metric] = replace(one[metric], corrected=p)
    return found


def report(results: Mapping[str, Result], folder: Path) -> Report:
    """What an experiment hands back; its primary score is that of the last result."""
    last = list(results.values())[-1]
    metric = last.scores.metrics[0] if last.scores else None
    return Report(
        primary=last.means["public"][metric].mean if metric else None,
        metric=metric,
        higher_is_better=last.scores.higher_is_better[0] if last.scores else True,
        stored=all(result.stored for result in results.values()),
        means={name: result.means for name, result in results.items()},
        per_query={name: r.scores.frame() for name, r in results.items() if r.scores},
        folder=folder,
    )
