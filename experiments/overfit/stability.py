"""How much does what a report says depend on which queries fell into the public half?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.multiple_testing import cautious_t
from experiments.overfit.redraws import Layout
from experiments.overfit.reselection import choose, half_means, standing

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """What re-drawn splits would have said; shares are between 0 and 1.

    draws: how many were drawn.  same: share that chooses the trial again.  ahead: share whose
        choice beats the baseline on its private half.  significant: share where it does so by
        more than `critical` standard errors.
    low, middle, high: 5, 50 and 95 % quantiles of the choice's private gain, in score.
    """

    draws: int
    same: float
    ahead: float
    significant: float
    low: float
    middle: float
    high: float


def stability(
    public: Values,
    private: Values,
    critical: float,
    *,
    trial: int | None = None,
    layout: Layout | None = None,
    draws: int = 200,
    seed: int = 0,
) -> Stability:
    """Draw the split again, choose again and test again: gains [k, n] and [k, m].

    trial: its row, None for the best; each draw chooses the one that then stands in public where
    this one stands now.
    The re-draws keep sizes, strata and groups. The test is `cautious_t` against the critical value
    of the split as it was, which hardly moves between draws.
    """
    pooled = np.concatenate([public, private], axis=1)
    observed = np.arange(pooled.shape[1]) < public.shape[1]
    halves = (layout or Layout()).redraw(observed, draws, seed=seed)
    trial, place = standing(trial, public)
    chosen = choose(pooled, halves, place)
    _, gains = half_means(pooled, chosen, halves)
    statistics = cautious_t(np.where(halves, 0.0, pooled[chosen]), private.shape[1])
    low, middle, high = np.quantile(gains, (0.05, 0.5, 0.95))
    return Stability(
        draws=draws,
        same=float((chosen == trial).mean()),
        ahead=float((gains > 1e-9).mean()),
        significant=float((statistics > critical).mean()),
        low=float(low),
        middle=float(middle),
        high=float(high),
    )
