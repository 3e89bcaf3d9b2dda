"""Trials whose truth is known: score matrices as retrieval makes them, honest, tuned and leaked.

A query has a difficulty b ~ N(0, 1.6), a system a level theta and its own luck e ~ N(0, 0.55) on
every query; the score is the average precision 0, 1/3, 1/2, 5/6 or 1 by where theta + b + e falls.
The mean of a system, and so every true effect, is taken over 200,000 queries. Both halves have n
queries. The level of a cell is the mean of the baseline, lowered where an effect leaves no room
above it.

Scenarios. Null, nobody better: `null`; `correlated`: trials share 80 % of their luck; `skewed`:
many small gains against few total losses, mean zero. `effect`: one trial is truly better, the rest
equal the baseline. Tuning on the public half, nobody better: `climb`: every trial changes the best
so far and stays if it gains, all logged; `unlogged`: only the last of 50 such steps is logged;
`vote`: the trials that beat the baseline vote (Blum & Hardt, ICML 2015). `leak`: one trial answers
some of the public queries rightly because it has seen the labels; `leak_failing`: they are queries
on which the baseline scores below 1/2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from experiments.overfit.scores import TrialScores

Array = np.ndarray[Any, Any]

DIFFICULTY, LUCK, TRUTH = 1.6, 0.55, 200_000
PRECISIONS = np.array([0, 1 / 3, 1 / 2, 5 / 6, 1])
CUTS = np.array([-0.6, -0.35, -0.1, 0.0])
HIGHEST, STEPS, KEPT, SHARED = 0.97, 50, 0.9, 0.8


@dataclass(frozen=True)
class Cell:
    """One line of the table."""

    scenario: str
    n: int
    trials: int
    effect: float = 0.0
    leak: int = 0
    level: float = 0.92


def scored(u: Array) -> Array:
    """Average precision by where the latent value falls."""
    places = np.zeros(u.shape, dtype=np.int8)
    for cut in CUTS:
        places += u >= cut
    return PRECISIONS[places]


@cache
def reference() -> Array:
    """b + e of the queries that truth is taken over."""
    return np.random.default_rng(1).normal(0, math.hypot(DIFFICULTY, LUCK), TRUTH)


@cache
def theta_of(mean: float) -> float:
    """The level of a system with this mean score, by bisection."""
    low, high = -10.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if scored(middle + reference()).mean() < mean else (low, middle)
    return low


def draw(cell: Cell, rng: np.random.Generator) -> tuple[TrialScores, Array]:
    """Scores of the baseline (row 0) and the trials on both halves, and each row's true effect."""
    width, truth = 2 * cell.n, np.zeros(cell.trials + 1)
    if cell.scenario == "skewed":
        table = skewed(cell.trials, width, rng)
        return halves(table, cell.n), truth
    level = min(cell.level, HIGHEST - cell.effect)
    base = theta_of(level)
    b = rng.normal(0, DIFFICULTY, width)
    luck = LUCK * standard_luck(cell, base + b, rng)
    theta = np.full(cell.trials + 1, base)
    if cell.scenario == "effect":
        better = rng.integers(1, cell.trials + 1)
        theta[better], truth[better] = theta_of(level + cell.effect), cell.effect
    table = scored(theta[:, None] + b + luck)
    if cell.scenario.startswith("leak"):
        public = np.arange(cell.n)
        if cell.scenario == "leak_failing":
            public = np.flatnonzero(table[0, : cell.n] < 0.5)
        seen = rng.permutation(public)[: cell.leak]
        table[rng.integers(1, cell.trials + 1), seen] = 1.0
    return halves(table, cell.n), truth


def halves(table: Array, n: int) -> TrialScores:
    """The first n columns are public."""
    names = [f"t{row}" for row in range(len(table))]
    return TrialScores(names, public=table[:, :n], private=table[:, n:])


def opened(scores: TrialScores, row: int) -> TrialScores:
    """The same, with the private half opened for one trial."""
    private = np.full_like(scores.private, np.nan)
    private[[0, row]] = scores.private[[0, row]]
    return TrialScores(scores.names, public=scores.public, private=private)


def standard_luck(cell: Cell, known: Array, rng: np.random.Generator) -> Array:
    """Each row's luck, standard normal on fresh queries whatever the public half made of it."""
    rows, width = cell.trials + 1, len(known)
    if cell.scenario == "unlogged":
        return climb(known, STEPS, cell.n, rng)[[0, -1]]
    if cell.scenario == "climb":
        return climb(known, cell.trials, cell.n, rng)
    own = rng.standard_normal((rows, width))
    if cell.scenario == "correlated":
        shared = rng.standard_normal(width)
        own[1:] = math.sqrt(SHARED) * shared + math.sqrt(1 - SHARED) * own[1:]
    if cell.scenario == "vote":
        means = scored(known[: cell.n] + LUCK * own[:-1, : cell.n]).mean(axis=1)
        voters = own[1:-1][means[1:] > means[0]]
        if len(voters):
            own[-1] = voters.sum(axis=0) / math.sqrt(len(voters))
    return own


def climb(known: Array, steps: int, n: int, rng: np.random.Generator) -> Array:
    """The baseline's luck, that of each step, and in the last row that of the best."""
    tried = rng.standard_normal((steps + 1, len(known)))
    means = [float(scored(known[:n] + LUCK * tried[0, :n]).mean())]
    best = 0
    for step in range(1, steps + 1):
        tried[step] = KEPT * tried[best] + math.sqrt(1 - KEPT**2) * tried[step]
        means.append(float(scored(known[:n] + LUCK * tried[step, :n]).mean()))
        best = step if means[step] > means[best] else best
    if steps == STEPS and best:
        tried[[best, -1]] = tried[[-1, best]]
    return tried


def skewed(trials: int, width: int, rng: np.random.Generator) -> Array:
    """A tenth of the queries rise from 5/6 to 1, a fiftieth falls to 0: the mean stays."""
    u = rng.random((trials + 1, width))
    u[0] = 0.5
    return np.where(u < 0.02, 0.0, np.where(u >= 0.9, 1.0, 5 / 6))
