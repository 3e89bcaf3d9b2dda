"""Does a gain fall from public to private by more than choosing the best trial explains?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.sample_size import POWER, spread
from experiments.overfit.redraws import Layout
from experiments.overfit.reselection import choose, half_means, standing

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DropTest:
    """Is what is lost from public to private more than chance and choosing the best make?

    drop: the trial's public gain less its private one, in score.  expected: the mean drop of
        random re-splits, which choosing explains.
    drop_p: share of re-splits that drop as much.  surprise_p: share that lose as many surprising
        wins.  p: both together; this one is held against alpha.
    """

    drop: float
    expected: float
    drop_p: float
    surprise_p: float
    p: float


def drop_test(
    public: Values,
    private: Values,
    trial: int | None = None,
    *,
    explained: tuple[float, float] = (0.0, 0.0),
    layout: Layout | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> DropTest:
    """How often does a random re-split of the same trials lose as much? Gains [k, n] and [k, m].

    Both halves' queries are dealt out again (`Layout.redraw`), the trial that then stands where
    this one stood in public is chosen, and two losses from its public to its private half are
    compared with those on the split as it was: that of its mean gain, which tuning in many small
    steps makes, and that of its mean `surprise`, which leaked labels make. Each gives a share
    (1 + #{as large}) / (draws + 1); p is the share of splits, the real one among them, whose
    smaller share is as small. As long as no trial was made by looking at the public half, every
    split is equally likely and p is exact for the best, however many trials there are and however
    much they resemble each other. Another trial may have been named before or for its place: it
    is tested without choosing, too, and the larger p counts.

    trial: its row; None takes the best in public.  explained: what choosing adds to both public
    means, where it cannot be repeated because the other trials' private scores are sealed.
    A permutation test with the selection inside, combined by the smallest p (Westfall & Young
    1993); the + 1: Phipson & Smyth 2010. The two losses were chosen by simulation:
    docs/overfitting_rates.md.
    """
    n, pooled = public.shape[1], np.concatenate([public, private], axis=1)
    observed = np.arange(pooled.shape[1]) < n
    halves = (layout or Layout()).redraw(observed, draws, seed=seed)
    halves = np.concatenate([observed[None], halves])
    unexpected = surprise(pooled)
    trial, place = standing(trial, public)
    pooled[:, :n] -= explained[0]
    unexpected[:, :n] -= explained[1]
    ways = [choose(pooled, halves, place)]
    if place > 0:
        ways.append(np.full(len(halves), trial))
    drop = float(public[trial].mean() - private[trial].mean())
    tests = [_compared(drop, pooled, unexpected, way, halves, explained[0]) for way in ways]
    return max(tests, key=lambda test: test.p)


def _compared(
    drop: float,
    gains: Values,
    unexpected: Values,
    chosen: NDArray[np.intp],
    halves: NDArray[np.bool_],
    explained: float,
) -> DropTest:
    """The chosen trial's losses on the first half, which is the real one, beside all others'."""
    drops = np.subtract(*half_means(gains, chosen, halves))
    shares = _shares(drops), _shares(np.subtract(*half_means(unexpected, chosen, halves)))
    both = np.minimum(*shares)
    return DropTest(
        drop=drop,
        expected=float(drops[1:].mean()) + explained,
        drop_p=float(shares[0][0]),
        surprise_p=float(shares[1][0]),
        p=float((both <= both[0]).mean()),
    )


def surprise(gains: Values, *, alone: bool = False) -> Values:
    """By how much each query's gain exceeds the mean of all trials and the baseline, cubed.

    [k, n]; 0 where it does not. A right answer where all others fail is what leaked labels make,
    and the cube lets a few such outweigh many small ones. alone: as if each trial stood alone with
    the baseline.
    """
    reference = gains / 2 if alone else gains.sum(axis=0) / (len(gains) + 1)
    above = np.maximum(gains - reference, 0.0)
    return above * above * above


def _shares(losses: Values) -> Values:
    """For each draw, the share of all draws that lose as much."""
    ordered = np.sort(losses)
    return (len(losses) - np.searchsorted(ordered, losses - _ROUNDING)) / len(losses)
