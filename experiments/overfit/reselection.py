"""Which trial would have been chosen on another draw of the split, and how would it have done?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_CELLS = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class Reselection:
    """What each of r re-drawn splits chooses.

    winners: int [r], the trial with the best mean on its public half, the first of equals.
    public, private: float64 [r], that trial's mean gain on either half.
    """

    winners: NDArray[np.intp]
    public: Values
    private: Values


def reselect(gains: Values, halves: NDArray[np.bool_]) -> Reselection:
    """Choose again on each public half: gains [k, N] over both halves' queries, halves [r, N]."""
    table, totals = gains.astype(np.float32), gains.sum(axis=1)
    n = int(halves[0].sum())
    step = max(1, _CELLS // max(gains.shape))
    winners, sums = [], []
    for start in range(0, len(halves), step):
        found = halves[start : start + step].astype(np.float32) @ table.T
        winners.append(found.round(4).argmax(axis=1))
        sums.append(np.take_along_axis(found, winners[-1][:, None], axis=1)[:, 0])
    chosen, public = np.concatenate(winners), np.concatenate(sums).astype(np.float64)
    return Reselection(chosen, public / n, (totals[chosen] - public) / (gains.shape[1] - n))
