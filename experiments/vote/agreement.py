"""What each file adds: the vote with it and without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.evaluation import Evaluator
from experiments.metrics.significance import PairedDifference
from experiments.schema import Qrels
from retrievers.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Share:
    """One file's part in a vote.

    overlap: how much of the vote's first k the file names itself, 0 to 1, mean over the queries
        for which the vote names anything.
    changed: queries whose first k are other ones, or in another order, without the file.
    gain: the vote minus the vote without it; None without labels.
    """

    name: str
    weight: float
    overlap: float
    changed: int
    gain: PairedDifference | None


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
    """On how many queries the first k differ."""
    tables = [np.full((len(ranking.query_ids), k), -1) for ranking in (one, other)]
    for table, ranking in zip(tables, (one, other), strict=True):
        table[:, : min(k, ranking.depth)] = ranking.head(k).nodes
    return int((tables[0] != tables[1]).any(axis=1).sum())


def gain(
    ranking: Ranking, against: Ranking, metrics: Evaluator, qrels: Qrels, queries: Sequence[str]
) -> PairedDifference:
    """`ranking` minus `against` by the first metric, over these queries."""
    ours, theirs = (metrics.evaluate(one, qrels, queries) for one in (ranking, against))
    return ours.difference(theirs, ours.metrics[0])


def leave_one_out(
    rankings: Sequence[Ranking],
    names: Sequence[str],
    weights: Sequence[float],
    *,
    vote: Callable[[Sequence[float]], Ranking],
    k: int,
    score: Callable[[Ranking, Ranking], PairedDifference] | None,
) -> list[Share]:
    """One share a file.

    rankings: the files' own.  vote: the ranking of a vote with these weights; 0 leaves a file out.
    score: the paired difference of two rankings; None without labels.
    """
    whole = vote(weights)
    shares = []
    for place, (name, weight) in enumerate(zip(names, weights, strict=True)):
        others = [0.0 if at == place else one for at, one in enumerate(weights)]
        without = vote(others) if any(others) else None
        shares.append(
            Share(
                name=name,
                weight=weight,
                overlap=overlap(whole, rankings[place], k),
                changed=changed(whole, without, k) if without else len(whole.query_ids),
                gain=score(whole, without) if score and without else None,
            )
        )
    return shares
