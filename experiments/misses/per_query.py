"""Does a query whose gold passages have higher values score higher?"""

from __future__ import annotations

import numpy as np

from experiments.misses.estimates import Estimate, estimate
from experiments.misses.resampling import Floats, permutations, redrawn
from experiments.misses.sample import Sample

FEWEST_SCORED = 10
"""A correlation of fewer queries says nothing."""


def per_query_estimate(sample: Sample, scores: Floats, draws: int, seed: int) -> Estimate | None:
    """Spearman's rank correlation of a query's score with the mean value of its gold passages.

    scores: of the sample's queries, [q], NaN = not scored; those are left out.
    None with fewer than `FEWEST_SCORED` queries and where one side is the same for all.
    """
    scored = ~np.isnan(scores)
    kept = np.flatnonzero(scored[sample.queries])  # pairs stand query by query
    if scored.sum() < FEWEST_SCORED:
        return None
    starts = np.flatnonzero(np.diff(sample.queries[kept], prepend=-1))
    sizes = np.diff(np.append(starts, len(kept)))
    units = sample.units[kept]

    def means(values: Floats) -> Floats:
        return np.asarray(np.add.reduceat(values[..., units], starts, axis=-1) / sizes)

    right, own = scores[scored], means(sample.values)
    observed = float(_spearman(own, right))
    if np.isnan(observed):
        return None
    null = [
        _spearman(means(sample.values[rows]), right)
        for rows in permutations(sample.documents, draws, seed)
    ]
    drawn = []
    for counts in redrawn(len(right), len(right), draws, seed):
        rows = np.tile(np.arange(len(right)), len(counts))
        picked = np.repeat(rows, counts.ravel()).reshape(counts.shape)
        drawn.append(_spearman(own[picked], right[picked]))
    excess = np.abs(np.nan_to_num(np.concatenate(null))) - abs(observed)
    return estimate(observed, np.concatenate(drawn), excess)


def _spearman(left: Floats, right: Floats) -> Floats:
    """Pearson's correlation of mean ranks (Spearman, 1904) along the last axis; NaN if constant."""
    from scipy.stats import rankdata

    x, y = (_centred(rankdata(side, axis=-1)) for side in (left, right))
    scale = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    return np.where(scale > 0, (x * y).sum(axis=-1) / np.where(scale > 0, scale, 1.0), np.nan)


def _centred(ranks: Floats) -> Floats:
    return np.asarray(ranks - ranks.mean(axis=-1, keepdims=True), dtype=np.float64)
