"""What one pipeline found and scored, and how two of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.gold_path import GoldPaths
from experiments.ledger import ScoreRow
from experiments.metrics.per_query import PerQuery
from experiments.schema import Mean
from retrievers.ranking import Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.metrics.significance import PairedDifference
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
