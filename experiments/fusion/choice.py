"""Choosing among many weightings, and what the choice is worth. All from per-query scores.

Shapes: n points, q queries; `scores` is [n, q], higher is better, no gaps. The best of many looks
better than it is on the queries that chose it: hence the folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_EQUAL = 1e-12
_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class Flatness:
    """How much the weights matter.

    share: of the points spread over the simplex, those within one standard error of the best
        (the rule of Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984).
    error: that standard error, of the best point's mean over the queries.
    """

    share: float
    error: float

    @property
    def words(self) -> str:
        """What follows from it, in one sentence."""
        found = f"{self.share:.0%} of the weightings are within one standard error of the best"
        if self.share >= 0.5:
            return (
                f"{found}: the optimum is flat. Stop tuning the weights; they hardly matter here."
            )
        if self.share >= 0.1:
            return f"{found}: the optimum is broad. Any weights in that region will do."
        return f"{found}: the optimum is narrow. The weights matter, and finer steps may help."


def best(scores: Floats, weights: Floats, queries: Flags | None = None) -> int:
    """The point of the highest mean over the queries; of equal ones the most central.

    A plateau is common, and its middle is the safer choice: the point of it whose weights [n, k]
    are nearest to their mean.
    """
    means = scores.mean(axis=1) if queries is None else scores[:, queries].mean(axis=1)
    tied = np.flatnonzero(means >= means.max() - _EQUAL)
    away = ((weights[tied] - weights[tied].mean(axis=0)) ** 2).sum(axis=1)
    return int(tied[np.argmin(np.round(away, 12))])


def folds(groups: Sequence[Sequence[int]], count: int, size: int, seed: int) -> NDArray[np.intp]:
    """The fold of each of `size` queries, 0 … count - 1, about equal ones.

    groups: rows that must share a fold, since one of them would give the others away.
    """
    rng = np.random.default_rng(seed)
    order = sorted(rng.permutation(len(groups)), key=lambda place: -len(groups[place]))
    filled, fold = np.zeros(count), np.empty(size, dtype=np.intp)
    for place in order:
        target = int(np.argmin(filled))
        fold[list(groups[place])] = target
        filled[target] += len(groups[place])
    return fold


def bootstrap_best(scores: Floats, weights: Floats, draws: int, seed: int) -> Floats:
    """The best weights of each of `draws` resamples of the queries, [draws, k].

    Where several points tie, their mean: the middle of the plateau.
    """
    rng = np.random.default_rng(seed)
    n_queries = scores.shape[1]
    chosen = []
    for size in _batches(draws, len(scores)):
        counts = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=size)
        means = counts @ scores.T / n_queries
        tied = means >= means.max(axis=1, keepdims=True) - _EQUAL
        chosen.append((tied @ weights) / tied.sum(axis=1, keepdims=True))
    return np.concatenate(chosen)


def flatness(scores: Floats, top: Floats) -> Flatness:
    """How many points, spread over the simplex, are about as good as the best one (scores [q])."""
    error = float(top.std(ddof=1) / np.sqrt(len(top))) if len(top) > 1 else 0.0
    near = scores.mean(axis=1) >= top.mean() - error - _EQUAL
    return Flatness(float(near.mean()), error)


def _batches(draws: int, width: int) -> Iterator[int]:
    step = max(1, _CELLS // width)
    for start in range(0, draws, step):
        yield min(step, draws - start)
