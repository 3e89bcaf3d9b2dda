"""How much the position matters, and how much of that is luck."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
_Z = 1.959963984540054
_CELLS = 2_000_000  # of one batch of permutations
_ROUNDING = 1e-9


class Share(NamedTuple):
    """A mean accuracy with its 95 % interval; NaN of an empty column is (None, None, None)."""

    mean: float | None
    low: float | None
    high: float | None


class PositionGap(NamedTuple):
    """The best position's accuracy minus the worst one's, 0 to 1.

    null: what it averages when position does nothing: a maximum minus a minimum is never 0 by luck.
    p: how often luck makes it as large, one-sided.  n: tasks answered in every position.
    All but n are None where fewer than two positions or no task can be compared.
    """

    gap: float | None
    null: float | None
    p: float | None
    n: int


def complete(values: Values) -> Values:
    """Rows [tasks] of [tasks, positions] without a missing answer."""
    return values[~np.isnan(values).any(axis=1)]


def accuracies(values: Values) -> list[Share]:
    """The accuracy of each position with a 95 % score interval (Wilson, JASA 1927).

    values: [tasks, positions], the mean over repeats, NaN where missing. The tasks are the sample,
    so that with several repeats the interval is rather too wide.
    """
    return [_share(column[~np.isnan(column)]) for column in values.T]


def position_gap(values: Values, *, draws: int = 2000, seed: int = 0) -> PositionGap:
    """max - min over positions, against positions permuted within each task.

    values: [tasks, positions] as in `accuracies`. Under the null a task's answers are equally
    likely in any order, so that p is exact: at most 5 % of labs without an effect get p <= 0.05.
    """
    rows = complete(values)
    n, positions = rows.shape
    if not n or positions < 2:
        return PositionGap(None, None, None, n)
    observed = float(np.ptp(rows.mean(axis=0)))
    luck = _permuted_gaps(rows, draws, np.random.default_rng(seed))
    beyond = int((luck >= observed - _ROUNDING).sum())
    return PositionGap(observed, float(luck.mean()), (1 + beyond) / (1 + draws), n)


def _permuted_gaps(rows: Values, draws: int, rng: np.random.Generator) -> Values:
    """The gap after each of so many permutations; rows that are all alike cannot change it."""
    n = len(rows)
    moving = rows[np.ptp(rows, axis=1) > 0]
    if not len(moving):
        return np.zeros(draws)
    gaps = []
    batch = max(1, _CELLS // moving.size)
    for begin in range(0, draws, batch):
        count = min(batch, draws - begin)
        order = rng.random((count, *moving.shape)).argsort(axis=2)
        permuted = np.take_along_axis(moving[None], order, axis=2)
        gaps.append(np.ptp(permuted.sum(axis=1), axis=1) / n)
    return np.concatenate(gaps)


def _share(values: Values) -> Share:
    n = len(values)
    if not n:
        return Share(None, None, None)
    mean = float(values.mean())
    middle = (mean + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * np.sqrt(mean * (1 - mean) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    low, high = max(0.0, float(middle - half)), min(1.0, float(middle + half))
    return Share(mean, min(low, mean), max(high, mean))
