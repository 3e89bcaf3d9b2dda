"""How often is the trial that is best on one half of the queries below the middle on the other?"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

BLOCKS = 16
_CELLS = 1 << 24


def backtest_overfitting(
    scores: NDArray[np.float64], *, blocks: int = BLOCKS, seed: int = 0
) -> float | None:
    """The probability of backtest overfitting of trials by queries, scores or gains [k, n].

    The queries are dealt into S blocks. Each of the C(S, S/2) halves chooses its best trial, whose
    rank among k on the other half, from 1 for the worst, gives omega = rank / (k + 1); the result
    is the share of halves with logit(omega) <= 0, that is omega <= 1/2. Equal trials share their
    middle rank, and omega = 1/2 counts half, so that trials that never differ give 0.5.
    0 = the best stays good; 0.5 = choosing is noise. S is `blocks`, or less where queries are few.
    None with one trial or fewer than four queries.
    CSCV of Bailey, Borwein, Lopez de Prado & Zhu, Journal of Computational Finance 2017.
    """
    trials, n = scores.shape
    blocks = min(blocks, n) // 2 * 2
    if trials < 2 or n < 4:
        return None
    order = np.random.default_rng(seed).permutation(n)
    parts = np.array_split(order, blocks)
    sizes = np.array([len(part) for part in parts])
    sums = np.stack([scores[:, part].sum(axis=1) for part in parts])
    chosen = np.array(list(combinations(range(blocks), blocks // 2)))
    halves = np.zeros((len(chosen), blocks))
    np.put_along_axis(halves, chosen, 1.0, axis=1)
    step = max(1, _CELLS // trials)
    below = [
        _below_the_middle(halves[start : start + step], sums, sizes)
        for start in range(0, len(halves), step)
    ]
    return float(np.concatenate(below).mean())


def _below_the_middle(
    halves: NDArray[np.float64], sums: NDArray[np.float64], sizes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """1 where the chosen trial is below the middle on the other half, 0.5 where it is on it."""
    inside = (halves @ sums / (halves @ sizes)[:, None]).round(9)
    outside = ((1 - halves) @ sums / ((1 - halves) @ sizes)[:, None]).round(9)
    own = np.take_along_axis(outside, inside.argmax(axis=1)[:, None], axis=1)
    lower, equal = (outside < own).sum(axis=1), (outside == own).sum(axis=1)
    omega = (lower + (equal + 1) / 2) / (sums.shape[1] + 1)
    return np.where(omega < 0.5, 1.0, np.where(omega == 0.5, 0.5, 0.0))
