"""The numbers of fusion: scores of several parts made comparable, added up, and ranked.

Shapes: k parts, q queries, c candidates of each query. `rows` [q, c] says which node each column
stands for, -1 for padding; `scores` [k, q, c] or [q, c] is NaN where a part did not return it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from retrievers.ranking import Rows, Scores, best_first

Normalise = Literal["zscore", "minmax", "rank", "none"]
Missing = Literal["min", "zero", "exact"]

RECIPROCAL_RANK_OFFSET = 60
"""Cormack, Clarke & Büttcher (SIGIR 2009): reciprocal rank fusion scores 1 / (60 + rank)."""

FLAT = 1e-12
"""A list whose spread is below this share of its largest score counts as constant."""


@dataclass(frozen=True, slots=True)
class PartRule:
    """How one part enters the sum.

    weight: its effective weight, at least 0.
    normalise: "zscore" (population deviation), "minmax" to [0, 1], "rank" (1 / (60 + rank)) or
        "none", over the part's own list; a constant list gives zeros.
    missing: what a candidate gets that the part did not return: "min", the lowest of its list;
        "zero"; or "exact", its true score. With "rank" it is always zero: that is reciprocal rank
        fusion.
    """

    weight: float = 1.0
    normalise: Normalise = "zscore"
    missing: Missing = "min"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise ValueError(f"A weight of {self.weight} was given: weights are numbers from 0 up.")
        for value, allowed in ((self.normalise, Normalise), (self.missing, Missing)):
            if value not in get_args(allowed):
                raise ValueError(
                    f"{value!r} was given: choose from {', '.join(get_args(allowed))}."
                )


def union(found: Sequence[tuple[Rows, Scores]]) -> tuple[Rows, Scores]:
    """The candidates of every query in corpus order, and each part's raw scores of them.

    found: one (rows, scores) a part, as `best_first` returns them.
    Returns (rows [q, c], scores [k, q, c]).
    """
    together = np.concatenate([rows for rows, _ in found], axis=1)
    order = np.argsort(together, axis=1, kind="stable")
    nodes = np.take_along_axis(together, order, axis=1)
    fresh = nodes >= 0
    fresh[:, 1:] &= nodes[:, 1:] != nodes[:, :-1]
    columns = np.empty(together.shape, dtype=np.intp)
    np.put_along_axis(columns, order, np.cumsum(fresh, axis=1) - 1, axis=1)
    width = int(fresh.sum(axis=1).max(initial=0))
    candidates = np.full((len(together), width), -1, dtype=np.int32)
    aligned = np.full((len(found), len(together), width), np.nan)
    first = 0
    for part, (rows, scores) in enumerate(found):
        query, place = np.nonzero(rows >= 0)
        column = columns[query, first + place]
        candidates[query, column] = rows[query, place]
        aligned[part, query, column] = scores[query, place]
        first += rows.shape[1]
    return candidates, aligned


def contribution(scores: Scores, rows: Rows, rule: PartRule, exact: Scores | None = None) -> Scores:
    """What one part gives each candidate before its weight, [q, c]; 0 for padding.

    scores: the part's own list. exact: the true scores of all candidates, for missing="exact".
    Raises ValueError for an infinite score.
    """
    if np.isinf(scores).any():
        raise ValueError("A part gave an infinite score: fusion needs finite numbers.")
    if rule.normalise == "rank":
        return _reciprocal_ranks(scores, rows)
    centre, spread = _scale(scores, rule.normalise)
    seen = ~np.isnan(scores)
    values = _apply(scores, centre, spread)
    if rule.missing == "exact" and exact is not None:
        values = np.where(seen, values, _apply(exact, centre, spread))
    elif rule.missing == "min":
        lowest = np.min(values, axis=1, keepdims=True, where=seen, initial=np.inf)
        values = np.where(seen, values, np.where(np.isinf(lowest), 0.0, lowest))
    listed = (rows >= 0) & seen.any(axis=1, keepdims=True)
    return np.where(listed & ~np.isnan(values), values, 0.0)


def weighted_sum(parts: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """The sum of weight x contribution, added in the order of the names.

    Addition of floats depends on its order: a fixed one makes the order of the parts irrelevant.
    """
    total: Scores = np.zeros_like(next(iter(parts.values())))
    for name in sorted(parts):
        total = total + weights[name] * parts[name]
    return total


def fuse_scores(
    scores: Mapping[str, Scores],
    rows: Rows,
    rules: Mapping[str, PartRule],
    exact: Mapping[str, Scores] | None = None,
) -> Scores:
    """The fused score of every candidate, [q, c], NaN for padding; ready for `best_first`.

    scores: part name -> its raw scores [q, c], NaN where it did not return the candidate.
    rules: part name -> how it enters. Parts of weight 0 give nothing; a candidate that only they
        returned is NaN.
    """
    used = {name: rule for name, rule in rules.items() if rule.weight > 0}
    if not used:
        raise ValueError("Every weight is 0: give at least one part a weight above 0.")
    parts = {
        name: contribution(scores[name], rows, rule, (exact or {}).get(name))
        for name, rule in used.items()
    }
    total = weighted_sum(parts, {name: rule.weight for name, rule in used.items()})
    returned = np.any([~np.isnan(scores[name]) for name in used], axis=0)
    return np.where((rows >= 0) & returned, total, np.nan)


def fuse_by_rank(rows: Rows, counts: Sequence[int], depth: int) -> tuple[Rows, Scores]:
    """Reciprocal rank fusion of consecutive lists: rows [: counts[0]] make query 0, and so on."""
    places = np.where(rows >= 0, 1.0 / (RECIPROCAL_RANK_OFFSET + 1 + np.arange(rows.shape[1])), 0.0)
    ends = np.cumsum(counts)
    fused = [
        _sum_by_row(rows[end - count : end], places[end - count : end])
        for end, count in zip(ends, counts, strict=True)
    ]
    width = max((len(found) for found, _ in fused), default=0)
    candidates = np.full((len(fused), width), -1, dtype=np.int32)
    sums = np.full((len(fused), width), np.nan)
    for query, (found, total) in enumerate(fused):
        candidates[query, : len(found)] = found
        sums[query, : len(found)] = total
    return best_first(sums, depth, candidates)


def _sum_by_row(rows: Rows, values: Scores) -> tuple[Rows, Scores]:
    found, place = np.unique(rows[rows >= 0], return_inverse=True)
    sums = np.bincount(place, weights=values[rows >= 0], minlength=len(found))
    return found, sums.astype(np.float64)


def _reciprocal_ranks(scores: Scores, rows: Rows) -> Scores:
    lost = np.isnan(scores)
    order = np.lexsort((rows, np.where(lost, np.inf, -scores), lost), axis=1)
    ranks = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), axis=1)
    return np.where(lost, 0.0, 1.0 / (RECIPROCAL_RANK_OFFSET + 1 + ranks))


def _scale(scores: Scores, normalise: Normalise) -> tuple[Scores, Scores]:
    """(centre, spread) of each query's list, [q, 1]; spread 0 for a constant or empty list."""
    seen = ~np.isnan(scores)
    if normalise == "none":
        return np.zeros((len(scores), 1)), np.ones((len(scores), 1))
    count = np.maximum(seen.sum(axis=1, keepdims=True), 1)
    values = np.where(seen, scores, 0.0)
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    if normalise == "minmax":
        centre = np.min(scores, axis=1, keepdims=True, where=seen, initial=np.inf)
        spread = np.max(scores, axis=1, keepdims=True, where=seen, initial=-np.inf) - centre
    else:
        centre = values.sum(axis=1, keepdims=True) / count
        spread = np.sqrt(
            (np.where(seen, scores - centre, 0.0) ** 2).sum(axis=1, keepdims=True) / count
        )
    constant = ~(spread > FLAT * largest)
    return np.where(constant, 0.0, centre), np.where(constant, 0.0, spread)


def _apply(scores: Scores, centre: Scores, spread: Scores) -> Scores:
    flat = spread == 0
    return np.where(flat & ~np.isnan(scores), 0.0, (scores - centre) / np.where(flat, 1.0, spread))
