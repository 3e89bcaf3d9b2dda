"""What is estimated of a relation, each with its interval and the chance of it by luck alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.misses.resampling import (
    ByValue,
    Floats,
    auc,
    decile_shares,
    ends,
    permutations,
    redrawn,
)
from experiments.misses.sample import Sample

FEWEST_CLUSTERS = 10
"""An interval needs as many queries (or documents) with a miss and as many with a find."""

FEWEST_PASSAGES = 20
"""A tenth of fewer gold passages is no group to speak of."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic of one measure.

    low, high: 95 % percentile interval over resampled queries (or documents, see
        `Sample.clusters`): for other questions of the kind; None with too few of them.
    p: two-sided, from permuted values: (1 + hits) / (draws + 1), never 0 (Phipson & Smyth, 2010).
    corrected: p after Holm's correction over the measures (Holm, Scand. J. Statist. 1979).
    """

    value: float
    low: float | None
    high: float | None
    p: float
    corrected: float


@dataclass(frozen=True, slots=True)
class PassageEstimates:
    """What the pairs of query and gold passage say.

    auc, share, end, deciles: as in `MissRelation`.
    spread: the standard deviation of the AUC over permuted values.
    """

    auc: Estimate
    share: Estimate | None
    end: str
    deciles: tuple[tuple[float, float | None, float | None], ...]
    spread: float


def passage_estimates(sample: Sample, draws: int, seed: int) -> PassageEstimates:
    """AUC and shares of the misses of a sample that has no fault."""
    by_value = ByValue.of(sample.values)
    missed, found = sample.counts()
    groups = by_value.summed(missed[by_value.order]), by_value.summed(found[by_value.order])
    observed, shares = float(auc(*groups)), decile_shares(*groups)
    null_aucs, null_ends = _permuted(sample, by_value, draws, seed)
    aucs, drawn = _bootstrapped(sample, draws, seed)
    high_end = observed >= 0.5
    share = None
    if len(sample.units) >= FEWEST_PASSAGES:
        value, column = float(shares[-1 if high_end else 0]), drawn[:, -1 if high_end else 0]
        # Either end might have been named, so the larger of the two is what luck has to reach.
        share = estimate(value, column, null_ends.max(axis=1) - value)
    return PassageEstimates(
        auc=estimate(observed, aucs, np.abs(null_aucs - 0.5) - abs(observed - 0.5)),
        share=share,
        end="highest" if high_end else "lowest",
        deciles=_deciles(shares, drawn) if share else (),
        spread=float(null_aucs.std()),
    )


def estimate(value: float, drawn: Floats, excess: Floats) -> Estimate:
    """An estimate from its bootstrap draws (none: no interval) and its permutations.

    excess: how much further from nothing each permuted statistic is than the observed one.
    """
    low, high = interval(drawn)
    hits = int((excess >= -_ROUNDING).sum())
    p = (1 + hits) / (len(excess) + 1)
    return Estimate(value, low, high, p, p)


def interval(drawn: Floats) -> tuple[float | None, float | None]:
    """The 95 % percentile interval of draws, those without a value left out."""
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return None, None
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


def _permuted(sample: Sample, by_value: ByValue, draws: int, seed: int) -> tuple[Floats, Floats]:
    """The AUC [draws] and the shares of both ends [draws, 2] under permuted values."""
    missed, found = sample.counts()
    aucs, shares = [], []
    for rows in permutations(sample.documents, draws, seed):
        receivers = np.empty_like(rows)
        np.put_along_axis(receivers, rows, np.arange(rows.shape[1])[None], axis=1)
        receivers = receivers[:, by_value.order]
        groups = by_value.summed(missed[receivers]), by_value.summed(found[receivers])
        aucs.append(auc(*groups))
        shares.append(ends(*groups))
    return np.concatenate(aucs), np.concatenate(shares)


def _bootstrapped(sample: Sample, draws: int, seed: int) -> tuple[Floats, Floats]:
    """The AUC [draws] and the shares [draws, 10] over resampled clusters; empty with too few."""
    sides = [np.unique(sample.clusters[sample.missed == side]).size for side in (0, 1)]
    if min(sides) < FEWEST_CLUSTERS:
        return np.zeros(0), np.zeros((0, 10))
    by_value = ByValue.of(sample.values[sample.units])
    clusters, missed = sample.clusters[by_value.order], sample.missed[by_value.order]
    aucs, shares = [], []
    for counts in redrawn(int(clusters.max()) + 1, len(clusters), draws, seed):
        weights = counts[:, clusters]
        groups = by_value.summed(weights * missed), by_value.summed(weights * (1.0 - missed))
        aucs.append(auc(*groups))
        shares.append(decile_shares(*groups))
    return np.concatenate(aucs), np.concatenate(shares)


def _deciles(shares: Floats, drawn: Floats) -> tuple[tuple[float, float | None, float | None], ...]:
    return tuple(
        (float(share), *interval(column)) for share, column in zip(shares, drawn.T, strict=True)
    )
