"""Do both halves order the trials alike, and as much alike as chance allows?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.overfit.redraws import Layout

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankAgreement:
    """Kendall's tau-b between the halves, beside that of random re-splits.

    tau: over all trials, -1 to 1.  low, high: its 95 % interval.
    noise, noise_low, noise_high: mean and central 95 % of tau over random re-splits of the same
        queries, which is what sampling alone leaves. A tau inside it says nothing of overfitting.
    """

    tau: float
    low: float
    high: float
    noise: float
    noise_low: float
    noise_high: float


def rank_agreement(
    public: ArrayLike,
    private: ArrayLike,
    *,
    layout: Layout | None = None,
    draws: int = 1_000,
    seed: int = 0,
) -> RankAgreement | None:
    """Compare the orders of trials (rows) by their means over [k, n] and [k, m] scores.

    The interval is tau -+ 1.96 standard deviations of tau over bootstrap samples of each half's
    queries, cut at -1 and 1; their percentiles would lie too low, for a resample adds the noise of
    a second sampling. None with fewer than three trials, or where all means of a half are equal.
    Kendall, Biometrika 1945 (tau-b); for retrieval: Voorhees, Information Processing & Management
    2000; re-splits as the reference: Roelofs et al., NeurIPS 2019.
    """
    left, right = np.asarray(public, dtype=np.float64), np.asarray(private, dtype=np.float64)
    tau = _tau(left.mean(axis=1), right.mean(axis=1))
    if len(left) < 3 or np.isnan(tau):
        return None
    n, rng = left.shape[1], np.random.default_rng(seed)
    resampled = _taus(
        zip(_bootstrap_means(left, draws, rng), _bootstrap_means(right, draws, rng), strict=True)
    )
    pooled = np.concatenate([left, right], axis=1)
    halves = (layout or Layout()).redraw(np.arange(pooled.shape[1]) < n, draws, seed=seed)
    sums = halves.astype(np.float64) @ pooled.T
    others = (pooled.sum(axis=1) - sums) / right.shape[1]
    noise = _taus(zip(sums / n, others, strict=True))
    error = 1.96 * float(resampled.std(ddof=1))
    low, high = np.quantile(noise, (0.025, 0.975))
    return RankAgreement(
        tau=tau,
        low=max(tau - error, -1.0),
        high=min(tau + error, 1.0),
        noise=float(noise.mean()),
        noise_low=float(low),
        noise_high=float(high),
    )


def _bootstrap_means(scores: Values, draws: int, rng: np.random.Generator) -> Values:
    """Means [draws, k] over resampled queries."""
    n = scores.shape[1]
    counts = rng.multinomial(n, np.full(n, 1 / n), size=draws)
    return np.asarray(counts @ scores.T / n)


def _taus(pairs: Iterable[tuple[Values, Values]]) -> Values:
    taus = np.array([_tau(left, right) for left, right in pairs])
    return np.asarray(taus[~np.isnan(taus)])


def _tau(left: Values, right: Values) -> float:
    """NaN where all of a side are equal; means that only floating point tells apart are equal."""
    from scipy.stats import kendalltau

    return float(kendalltau(left.round(9), right.round(9)).statistic)
