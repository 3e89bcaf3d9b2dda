"""Which weights to try: points of the simplex, none below 0 and 1 together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

_MOST_POINTS = 200_000
_DIGITS = 6


class WeightSearch(Protocol):
    """A way through the simplex. Points are [w, k], each a row of weights."""

    def start(self, parts: int) -> Points:
        """What is tried first, spread over the whole simplex."""
        ...

    def around(self, best: Points, turn: int) -> Points:
        """What is tried next around the best point [k], in turn 1, 2, …; nothing at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Grid:
    """Every weighting whose weights are multiples of 1 / steps.

    steps: 20 gives steps of 0.05: 21 points for two parts, 231 for three, 1,771 for four.
    """

    steps: int = 20

    def start(self, parts: int) -> Points:
        return lattice(parts, self.steps)

    def around(self, best: Points, turn: int) -> Points:
        return np.empty((0, len(best)))


@dataclass(frozen=True, slots=True)
class Random:
    """Seeded points, spread evenly over the simplex (a flat Dirichlet draw), after its middle.

    Raises ValueError for less than one point, when it starts.
    """

    points: int = 1000
    seed: int = 0

    def start(self, parts: int) -> Points:
        if self.points < 1:
            raise ValueError(f"search.points is {self.points}: give 1 or more.")
        drawn = np.random.default_rng(self.seed).dirichlet(np.ones(parts), self.points - 1)
        return settled(np.vstack([np.full((1, parts), 1 / parts), drawn]))

    def around(self, best: Points, turn: int) -> Points:
        return np.empty((0, len(best)))


@dataclass(frozen=True, slots=True)
class Simplex:
    """A coarse grid, then ever closer around its best point.

    Each turn moves weight from one part to another, by half of the last turn's step: a pattern
    search (Hooke & Jeeves, JACM 1961). It reaches fine weights of many parts in few points; the
    coarse grid is what keeps it from a peak that stands apart.
    steps: of the coarse grid.  turns: 3 turns of 10 steps end at 1/80.
    """

    steps: int = 10
    turns: int = 3

    def start(self, parts: int) -> Points:
        return lattice(parts, self.steps)

    def around(self, best: Points, turn: int) -> Points:
        if turn > self.turns:
            return np.empty((0, len(best)))
        step = 1 / (self.steps * 2**turn)
        moves = np.eye(len(best))[:, None] - np.eye(len(best))[None, :]
        near = best + step * moves.reshape(-1, len(best))
        return settled(near[(near > -1e-9).all(axis=1)])


def lattice(parts: int, steps: int) -> Points:
    """The points with k weights that are multiples of 1 / steps, [w, k].

    Raises ValueError for less than one step, and for more points than a search can hold.
    """
    if steps < 1:
        raise ValueError(f"search.steps is {steps}: give 1 or more.")
    sizes = np.cumprod([(steps + place) / place for place in range(1, parts)])
    if parts > 1 and sizes[-1] > _MOST_POINTS:
        raise ValueError(
            f"A grid of {steps} steps over {parts} parts has {sizes[-1]:,.0f} points: "
            f"use fewer steps, or search=random or search=simplex."
        )
    # Stars and bars: where k - 1 bars stand among steps + k - 1 places tells the weights.
    bars = np.array(list(combinations(range(steps + parts - 1), parts - 1)), dtype=np.intp)
    ends = np.full((len(bars), 1), -1), np.full((len(bars), 1), steps + parts - 1)
    counts = np.diff(np.hstack([ends[0], bars.reshape(len(bars), parts - 1), ends[1]]), axis=1) - 1
    return settled(counts / steps)


def settled(points: Points) -> Points:
    """Weights as people can paste them: six digits, and none so small that it cannot matter."""
    rounded: Points = np.maximum(np.round(points, _DIGITS), 0.0)
    return np.where(rounded < 2 * 10.0**-_DIGITS, 0.0, rounded)


def named(point: Points, parts: Sequence[str]) -> dict[str, float]:
    """Part -> weight."""
    return {name: float(weight) for name, weight in zip(parts, point, strict=True)}
