"""How far two boards of the same submissions differ by the luck of their questions alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]
_MAD = 1.4826  # a normal deviation, from the median absolute one


@dataclass(frozen=True, slots=True)
class Noise:
    """What is left of public minus private when what all submissions share is taken off.

    shift: the median of public minus private: how much easier the public half is.
    deviation: of one submission's difference around it, in score. It is estimated from the
        differences themselves (median absolute deviation), so that a family that was tuned on the
        public board stands out from it; where more than half of the submissions are such a
        family, it is too large.
    """

    shift: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Kendall's tau-b of the two orders, and what noise alone would leave of a perfect one.

    ceiling, low, high: mean and central 95 % of tau over simulated boards of the same spread.
    """

    tau: float
    ceiling: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Flips:
    """Pairs of submissions whose public gap lies in one range.

    least, most: of the gap, in score; most is None for the last.  pairs: that many.
    flipped: those that the private board orders the other way.  tied: equal in private.
    """

    least: float
    most: float | None
    pairs: int
    flipped: int
    tied: int

    @property
    def share(self) -> float | None:
        """Flipped pairs over all, a private tie counting half."""
        return (self.flipped + 0.5 * self.tied) / self.pairs if self.pairs else None


def noise(public: Values, private: Values) -> Noise:
    """The noise of k submissions' differences [k]; 0 for fewer than three."""
    gaps = public - private
    shift = float(np.median(gaps))
    spread = _MAD * float(np.median(np.abs(gaps - shift))) if len(gaps) > 2 else 0.0
    return Noise(shift, spread)


def agreement(
    public: Values, private: Values, *, draws: int = 2_000, seed: int = 0
) -> Agreement | None:
    """Do the boards order the submissions as much alike as their noise allows?

    Simulated: true scores with the spread of the means of both boards, less what noise adds to
    it; noise of deviation / sqrt 2 on each board. None for fewer than three submissions, or where
    a board has them all equal.
    """
    if len(public) < 3 or not np.ptp(public) or not np.ptp(private):
        return None
    one = noise(public, private).deviation / np.sqrt(2)
    middle = (public + private) / 2
    own, by_noise = middle.var(ddof=1), one**2 / 2
    shrunk = np.sqrt(1 - by_noise / own) if own > by_noise else 0.0
    truth = middle.mean() + shrunk * (middle - middle.mean())
    drawn = np.random.default_rng(seed).normal(0, one, size=(draws, 2, len(truth)))
    taus = np.array([stats.kendalltau(truth + a, truth + b).statistic for a, b in drawn])
    low, high = np.quantile(taus, (0.025, 0.975))
    found = float(stats.kendalltau(public, private).statistic)
    return Agreement(found, float(taus.mean()), float(low), float(high))


def flips(public: Values, private: Values, edges: Values) -> list[Flips]:
    """How often the private board reverses two submissions, by the size of their public gap.

    edges: ascending lower ends of the ranges, in score. Pairs that tie in public are in none.
    """
    left, right = np.triu_indices(len(public), 1)
    gap, after = public[left] - public[right], private[left] - private[right]
    size = np.abs(gap)
    after = np.where(gap < 0, -after, after)
    told = []
    for place, least in enumerate(edges.tolist()):
        most = float(edges[place + 1]) if place + 1 < len(edges) else None
        inside = (size >= least - 1e-9) & (size > 1e-9)
        inside &= size < (np.inf if most is None else most - 1e-9)
        told.append(
            Flips(
                least,
                most,
                int(inside.sum()),
                int((inside & (after < -1e-9)).sum()),
                int((inside & (np.abs(after) <= 1e-9)).sum()),
            )
        )
    return told


def growing_drop(public: Values, private: Values) -> tuple[float, float] | None:
    """Does public minus private grow with the number of the submission? Spearman's rho and its p.

    A board that is asked again and again is slowly learnt by heart. None for fewer than ten.
    """
    gaps = public - private
    if len(gaps) < 10 or not np.ptp(gaps):
        return None
    told = stats.spearmanr(np.arange(len(gaps)), gaps)
    return float(told.statistic), float(told.pvalue)
