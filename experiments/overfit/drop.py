"""Does a gain fall from public to private by more than choosing the best trial explains?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.sample_size import POWER, spread
from experiments.overfit.redraws import Layout
from experiments.overfit.reselection import reselect

Values = NDArray[np.float64]

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Drop:
    """A difference in differences: the public gain over the baseline less the private one.

    value: in score.  error: its standard error.  detectable: the smallest true drop that this
        split shows with 80 % power at a one-sided 5 %. A drop below it that is not significant is
        no evidence that there is none.
    """

    value: float
    error: float
    detectable: float


def difference_in_differences(public: Values, private: Values, *, alpha: float = 0.05) -> Drop:
    """Compare gains over the baseline, [n] and [m], on different queries.

    Against the baseline, so that an easier half does not look like a drop. error =
    sqrt(s_n^2 / n + s_m^2 / m); detectable = (z_{1-alpha} + z_0.8) * s * sqrt(1/n + 1/m), s over
    both halves. Card & Krueger, American Economic Review 1994 (the design).
    """
    n, m = len(public), len(private)
    error = math.sqrt(spread(public) ** 2 / n + spread(private) ** 2 / m)
    both = np.concatenate([public - public.mean(), private - private.mean()])
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha) + normal.inv_cdf(POWER)
    detectable = reach * spread(both) * math.sqrt(1 / n + 1 / m)
    return Drop(float(public.mean() - private.mean()), error, detectable)


@dataclass(frozen=True, slots=True)
class DropTest:
    """Is the drop more than chance and choosing the best make?

    drop: the trial's public gain less its private one, in score.  expected: the mean drop of
        random re-splits, which choosing explains.  p: share of them that drop as much.
    """

    drop: float
    expected: float
    p: float


def drop_test(
    public: Values,
    private: Values,
    *,
    layout: Layout | None = None,
    explained: float = 0.0,
    draws: int = 10_000,
    seed: int = 0,
) -> DropTest:
    """How often does a random re-split of the same trials drop as much? Gains [k, n] and [k, m].

    Both halves' queries are dealt out again (`Layout.redraw`), the best public trial is chosen
    again, and its drop is compared with that of the best trial on the split as it was:
    p = (1 + #{drop_r >= drop}) / (draws + 1). As long as no trial was made by looking at the
    public half, every split is equally likely and p is exact, however many trials there are and
    however much they resemble each other. One row tests the drop of that trial alone.
    explained: what choosing adds to the public gain, where it cannot be repeated because the other
        trials' private scores are sealed; it is taken off every public gain.
    A permutation test with the selection inside (Westfall & Young 1993; Phipson & Smyth 2010).
    """
    pooled = np.concatenate([public - explained, private], axis=1)
    observed = np.arange(pooled.shape[1]) < public.shape[1]
    halves = (layout or Layout()).redraw(observed, draws, seed=seed)
    drawn = reselect(pooled, np.concatenate([observed[None], halves]))
    drops = drawn.public - drawn.private
    p = (1 + (drops[1:] >= drops[0] - _ROUNDING).sum()) / (draws + 1)
    return DropTest(float(drops[0]) + explained, float(drops[1:].mean()) + explained, float(p))
