"""The statistics of misses over many resamples at once: permuted values and redrawn queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

DECILES = 10
_CELLS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class ByValue:
    """Passages in ascending order of their values.

    order: int [n], the passages.  starts: int [t], where each run of equal values begins.
    """

    order: Rows
    starts: Rows

    @classmethod
    def of(cls, values: Floats) -> ByValue:
        """The order of values that are all finite."""
        order = np.argsort(values, kind="stable")
        return cls(order, np.flatnonzero(np.diff(values[order], prepend=-np.inf)))

    def summed(self, weights: Floats) -> Floats:
        """Weights [..., n], already in that order, added up over equal values: [..., t]."""
        return np.asarray(np.add.reduceat(weights, self.starts, axis=-1), dtype=np.float64)


def auc(missed: Floats, found: Floats) -> Floats:
    """How often a missed passage has a higher value than a found one; equal values count half.

    missed, found: weights [..., t] by ascending value. NaN where one side has no weight.
    It is the Mann-Whitney U over its maximum (Mann & Whitney, Ann. Math. Statist. 1947).
    """
    below = np.cumsum(found, axis=-1) - found
    wins = (missed * (below + found / 2)).sum(axis=-1)
    return _ratio(wins, missed.sum(axis=-1) * found.sum(axis=-1))


def cumulative_share(missed: Floats, found: Floats, parts: Floats) -> Floats:
    """The share of the misses among the lowest part of the gold passages, [..., len(parts)].

    parts: in [0, 1]. Passages of equal value at the edge count in proportion, so that a measure
    that says nothing gives the part itself.
    """
    both = missed + found
    total = both.sum(axis=-1, keepdims=True)
    before = np.cumsum(both, axis=-1) - both
    width = np.where(both > 0, both, 1.0)
    held = [
        (np.clip((part * total - before) / width, 0.0, 1.0) * missed).sum(axis=-1) for part in parts
    ]
    return _ratio(np.stack(held, axis=-1), missed.sum(axis=-1)[..., None])


def decile_shares(missed: Floats, found: Floats) -> Floats:
    """The share of the misses in each tenth of the gold passages, lowest first, [..., 10]."""
    edges = np.linspace(0.0, 1.0, DECILES + 1)
    return np.diff(cumulative_share(missed, found, edges), axis=-1)


def ends(missed: Floats, found: Floats) -> Floats:
    """The shares of the misses in the lowest and the highest tenth, [..., 2]."""
    low, high = np.moveaxis(cumulative_share(missed, found, np.array([0.1, 0.9])), -1, 0)
    return np.stack([low, 1.0 - high], axis=-1)


def permutations(documents: Rows, draws: int, seed: int) -> Iterator[Rows]:
    """Ways to lay the values over the passages again: int [b, n] in blocks, b adding to `draws`.

    documents: int [n], equal numbers standing together. Passage i gets the value of passage
    row[i]. Documents are put in random order with their passages in their own order, and the
    whole is turned by a random number of places: values of one document stay neighbours, as
    they were, so passages that are alike are not taken for independent ones. Where each document
    has one passage this is a plain permutation.
    """
    rng = np.random.default_rng(seed)
    count = len(documents)
    _, numbers = np.unique(documents, return_inverse=True)
    for size in _blocks(draws, count):
        keys = rng.random((size, int(numbers.max()) + 1))
        order = np.argsort(keys[:, numbers], axis=1, kind="stable")
        turn = rng.integers(0, count, size=(size, 1))
        yield np.take_along_axis(order, (np.arange(count) + turn) % count, axis=1)


def redrawn(clusters: int, width: int, draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """How often each cluster is drawn, int [b, clusters] in blocks: a bootstrap over clusters.

    width: cells that the caller needs for a draw.
    """
    rng = np.random.default_rng(seed)
    for size in _blocks(draws, max(width, clusters)):
        yield rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=size)


def _blocks(draws: int, width: int) -> list[int]:
    step = max(1, _CELLS // max(1, width))
    return [min(step, draws - start) for start in range(0, draws, step)]


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)
