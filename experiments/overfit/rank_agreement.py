"""Do both halves order the trials alike, and as much alike as chance allows?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.overfit.redraws import Layout

Values = NDArray[np.float64]

_ALL_PAIRS_UP_TO = 500
_SAMPLED = 125_000
_DIGITS = 9


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
    2000; sampling noise as the reference: Roelofs et al., NeurIPS 2019. With over 500 trials, a
    seeded sample of 125,000 pairs stands for all.
    """
    left, right = np.asarray(public, dtype=np.float64), np.asarray(private, dtype=np.float64)
    pairs = _pairs(len(left), seed)
    tau = _taus(left.mean(axis=1)[None], right.mean(axis=1)[None], pairs)
    if len(left) < 3 or not len(tau):
        return None
    n, m, rng = left.shape[1], right.shape[1], np.random.default_rng(seed)
    resampled = _taus(
        _bootstrap_means(left, draws, rng), _bootstrap_means(right, draws, rng), pairs
    )
    pooled = np.concatenate([left, right], axis=1)
    halves = (layout or Layout()).redraw(np.arange(n + m) < n, draws, seed=seed)
    sums = halves.astype(np.float64) @ pooled.T
    noise = _taus(sums / n, (pooled.sum(axis=1) - sums) / m, pairs)
    error = 1.96 * float(resampled.std())
    low, high = np.quantile(noise, (0.025, 0.975))
    return RankAgreement(
        tau=float(tau[0]),
        low=max(float(tau[0]) - error, -1.0),
        high=min(float(tau[0]) + error, 1.0),
        noise=float(noise.mean()),
        noise_low=float(low),
        noise_high=float(high),
    )


def _pairs(trials: int, seed: int) -> NDArray[np.intp]:
    """Pairs of trials, int [2, pairs]: all, or a sample of them."""
    if trials <= _ALL_PAIRS_UP_TO:
        return np.stack(np.triu_indices(trials, 1))
    rng = np.random.default_rng(seed)
    first = rng.integers(0, trials, size=_SAMPLED)
    return np.stack([first, (first + rng.integers(1, trials, size=_SAMPLED)) % trials])


def _bootstrap_means(scores: Values, draws: int, rng: np.random.Generator) -> Values:
    """Means [draws, k] over resampled queries."""
    n = scores.shape[1]
    counts = rng.multinomial(n, np.full(n, 1 / n), size=draws)
    return np.asarray(counts @ scores.T / n)


def _taus(left: Values, right: Values, pairs: NDArray[np.intp]) -> Values:
    """tau-b of each row of means [r, k]; a row whose means are all equal has none."""
    taus = [
        _tau(_order(one, pairs), _order(other, pairs))
        for one, other in zip(left.round(_DIGITS), right.round(_DIGITS), strict=True)
    ]
    return np.array([tau for tau in taus if tau is not None])


def _order(means: Values, pairs: NDArray[np.intp]) -> NDArray[np.float32]:
    return np.asarray(np.sign(means[pairs[0]] - means[pairs[1]]), dtype=np.float32)


def _tau(left: NDArray[np.float32], right: NDArray[np.float32]) -> float | None:
    scale = float(np.sqrt(left @ left) * np.sqrt(right @ right))
    return float(left @ right) / scale if scale else None
