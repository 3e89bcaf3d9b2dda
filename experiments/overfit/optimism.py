"""How much of the best trial's gain is there because it was chosen as the best?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.overfit.reselection import at_place, standing

Values = NDArray[np.float64]

_CELLS = 1 << 24


@dataclass(frozen=True, slots=True)
class Optimism:
    """A trial's mean gain, and what is left of it on queries that did not choose it.

    observed: mean gain of the trial, in score.  corrected: mean gain out of bag.
    """

    observed: float
    corrected: float

    @property
    def value(self) -> float:
        """What choosing added, in score."""
        return self.observed - self.corrected


def optimism(
    gains: Values,
    measured: Values | None = None,
    *,
    trial: int | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> Optimism:
    """Choose again on bootstrap samples of the queries, and measure out of bag: gains [k, n].

    Each of `draws` samples draws n queries with replacement, takes the trial with the best mean
    over them (the first of equals) and scores it on the queries that were not drawn; `corrected`
    is the mean over samples. It leans to the careful side, as a sample holds 63 % of the queries.
    measured: what the chosen trial is measured by, [k, n], where that is not the gain itself.
    trial: its row; each sample takes the one that stands in the bag where this one stands in all.
        None takes the best.
    BBC-CV of Tsamardinos, Greasidou & Borboudakis, Machine Learning 2018.

    Raises ValueError with fewer than two queries.
    """
    if gains.shape[1] < 2:
        raise ValueError(
            f"{gains.shape[1]} public query: nothing can be left out of a sample, give two or more."
        )
    measured = gains if measured is None else measured
    trial, place = standing(trial, gains)
    observed = float(measured[trial].mean())
    if len(gains) == 1:
        return Optimism(observed, observed)
    tables = gains.astype(np.float32), measured.astype(np.float32)
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS // max(gains.shape))
    outside = [
        _out_of_bag(*tables, _counts(gains.shape[1], min(step, draws - start), rng), place)
        for start in range(0, draws, step)
    ]
    return Optimism(observed, float(np.concatenate(outside).mean()))


def _counts(n: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """How often each query is in each of `size` samples: int [size, n]."""
    drawn = rng.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
    return np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)


def _out_of_bag(
    gains: NDArray[np.float32],
    measured: NDArray[np.float32],
    counts: NDArray[np.intp],
    place: int,
) -> Values:
    """The mean of the trial at this place in the bag over the queries not drawn.

    Samples without any are dropped.
    """
    winners = at_place(counts.astype(np.float32) @ gains.T, place)
    left_out = counts == 0
    sizes = left_out.sum(axis=1)
    sums = np.einsum("bq,bq->b", measured[winners], left_out, dtype=np.float64)
    return np.asarray(sums[sizes > 0] / sizes[sizes > 0])
