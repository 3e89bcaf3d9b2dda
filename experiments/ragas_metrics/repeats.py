"""A judge asked several times: the mean of its scores and how far they lie apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Spread:
    """One metric over several repeats, on the n queries that every repeat scored.

    means: of each repeat.  sd: of these means, divisor repeats - 1.
    changed: queries that two repeats score differently.
    """

    means: tuple[float, ...]
    sd: float
    n: int
    changed: int

    def sentence(self, metric: str) -> str:
        """All of it for people."""
        low, high = min(self.means), max(self.means)
        return (
            f"{metric}: {len(self.means)} repeats give means from {low:.3f} to {high:.3f} "
            f"(standard deviation {self.sd:.3f}); {self.changed} of {self.n} queries change."
        )


def spread(values: NDArray[np.float64]) -> Spread | None:
    """values: [repeats, q], NaN where a repeat gave no score.

    None with fewer than two repeats, or without a query that all of them scored.
    """
    shared = values[:, ~np.isnan(values).any(axis=0)]
    if len(values) < 2 or not shared.size:
        return None
    means = shared.mean(axis=1)
    changed = (shared != shared[0]).any(axis=0)
    return Spread(
        tuple(means.tolist()), float(means.std(ddof=1)), shared.shape[1], int(changed.sum())
    )


def mean_of_repeats(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """[repeats, …] -> […]: over the repeats that gave a score, NaN where none did."""
    counts = (~np.isnan(values)).sum(axis=0)
    totals = np.nansum(values, axis=0)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
