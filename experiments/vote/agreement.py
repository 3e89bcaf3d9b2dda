"""What each file adds: the vote with it and without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from experiments.metrics.significance import PairedDifference
    from experiments.result import Result
    from experiments.splits import Split
    from retrievers.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Share:
    """One file's part in a vote.

    overlap: how much of the vote's first k the file names itself, 0 to 1, mean over the queries
        for which the vote names anything.
    changed: queries whose first k are other ones, or in another order, without the file.
    gains: side of the split -> the vote minus the vote without it, by the first metric; None where
        no other file has a weight. Empty without labels.
    """

    name: str
    weight: float
    overlap: float
    changed: int
    gains: Mapping[str, PairedDifference | None]


def overlap(one: Ranking, other: Ranking, k: int) -> float:
    """The mean share of `one`'s first k that stand among the first k of `other`.

    Both are over the same queries and documents. A query for which `one` has nothing is left out;
    1 where no query is left.
    """
    mine, theirs = one.head(k).nodes, other.head(k).nodes
    shared = (mine[:, :, None] == theirs[:, None, :]) & (mine >= 0)[:, :, None]
    size = (mine >= 0).sum(axis=1)
    named = size > 0
    if not named.any():
        return 1.0
    return float((shared.any(axis=2).sum(axis=1)[named] / size[named]).mean())


def changed(one: Ranking, other: Ranking, k: int) -> int:
    """On how many queries the first k differ. Both are over the same queries and documents."""
    tables = [np.full((len(ranking.query_ids), k), -1) for ranking in (one, other)]
    for table, ranking in zip(tables, (one, other), strict=True):
        table[:, : min(k, ranking.depth)] = ranking.head(k).nodes
    return int((tables[0] != tables[1]).any(axis=1).sum())


def leave_one_out(
    files: Mapping[str, Result],
    weights: Sequence[float],
    whole: Result,
    without: Sequence[Result | None],
    *,
    k: int,
    split: Split,
) -> list[Share]:
    """One share a file.

    files: name -> the file's own result.  whole: the vote.  without: the vote without each file,
    None where no other has a weight, so that all would change.
    """
    sides = split.sides if whole.scores else ()
    return [
        Share(
            name=name,
            weight=weight,
            overlap=overlap(whole.ranking, own.ranking, k),
            changed=changed(whole.ranking, rest.ranking, k) if rest else len(whole.asked),
            gains={side: _gain(whole, rest, split.of(side)) for side in sides},
        )
        for (name, own), weight, rest in zip(files.items(), weights, without, strict=True)
    ]


def _gain(whole: Result, rest: Result | None, queries: Sequence[str]) -> PairedDifference | None:
    if whole.scores is None or rest is None or rest.scores is None:
        return None
    return whole.scores.difference(rest.scores, whole.scores.metrics[0], queries)
