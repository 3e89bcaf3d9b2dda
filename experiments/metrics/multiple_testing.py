"""Which of many trials beat the baseline, when the best of many equal ones looks good by luck?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

EXACT_UP_TO = 14
_SLACK = 1e-5  # the statistics are float32
_CELLS = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class MaxT:
    """Corrected p-values of k trials, and the null that they were read from.

    statistics: float64 [k], about standard normal for a trial that equals the baseline.
    p: float64 [k], corrected for all k trials.
    highest: the largest statistic of each sign pattern, ascending.
    """

    statistics: Values
    p: Values
    highest: Values

    def critical(self, alpha: float = 0.05) -> float:
        """The statistic that a trial must exceed to have p <= alpha, in standard errors."""
        return float(np.quantile(self.highest, 1 - alpha, method="higher"))


def max_t(
    differences: ArrayLike,
    *,
    cautious: bool = False,
    two_sided: bool = False,
    draws: int = 10_000,
    seed: int = 0,
) -> MaxT:
    """Single-step max-T over trials (rows) with signs shared across them: differences [k, n].

    t_k = sum_q d_kq / sqrt(sum_q d_kq^2). A pattern of signs e, one a query and the same for every
    trial, gives t_k(e) = sum_q e_q d_kq / sqrt(sum_q d_kq^2); p_k = share of patterns whose
    max_j t_j(e) >= t_k. So trials that resemble each other cost little. This ratio orders the
    patterns as Student's t does. All 2^c patterns are counted when only c <= 14 queries differ at
    all; otherwise p = (1 + hits) / (draws + 1). One-sided: against positive means.

    cautious: take the observed t_k from `cautious_t`, for trials whose losses may be rarer and
    larger than their gains; flipping signs alone supposes that they are not.
    Westfall & Young, Resampling-Based Multiple Testing, 1993; for retrieval: Boytsov, Belova &
    Westfall, SIGIR 2013.

    Raises ValueError unless there is a finite number for every trial and query.
    """
    table = np.asarray(differences, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ValueError(
            f"max-T needs one finite number for every trial and query, and got the shape "
            f"{table.shape}: leave out the queries that some trial did not score."
        )
    queries, table = table.shape[1], table[:, (table != 0).any(axis=0)]
    norms = np.sqrt((table**2).sum(axis=1))
    units = (table / np.where(norms > 0, norms, 1)[:, None]).astype(np.float32)
    patterns, exact = _patterns(units.shape[1], len(units), draws, seed)
    highest = np.sort(
        np.concatenate([_highest(signs @ units.T, two_sided) for signs in patterns])
    ).astype(np.float64)
    observed = cautious_t(table, queries) if cautious else units.sum(axis=1, dtype=np.float64)
    reached = np.abs(observed) if two_sided else observed
    hits = len(highest) - np.searchsorted(highest, reached - _SLACK)
    p = hits / len(highest) if exact else (1 + hits) / (len(highest) + 1)
    return MaxT(observed, p, highest)


def cautious_t(differences: Values, n: int) -> Values:
    """The statistics of `max_t`, lowered where losses are, or may be, rarer and larger than gains.

    differences: [k, c], c of the n queries; all others differ by 0. The root is at least sqrt(2),
    as if one query were won and one lost wholly: a trial with many small gains may not have met
    its rare total losses yet. A negative skewness g then lowers t by -g (1 + 2 t^2) / (6 sqrt(n)).
    Johnson, JASA 1978; only downwards here, so that a few large gains earn no bonus.
    """
    mean = differences.sum(axis=1) / n
    squares = (differences**2).sum(axis=1)
    t = n * mean / np.sqrt(np.maximum(squares, 2.0))
    variance = np.maximum(squares - n * mean**2, 2.0) / n
    third = (differences**3).sum(axis=1) / n - 3 * mean * squares / n + 2 * mean**3
    skewness = np.minimum(third / variance**1.5, 0.0)
    return np.asarray(t + skewness * (1 + 2 * t**2) / (6 * np.sqrt(n)))


def holm(p: ArrayLike, count: int | None = None) -> Values:
    """Holm's step-down correction of p-values [k], where only the p-values are known.

    The i-th smallest is multiplied by count - i + 1 and may not fall below the one before.
    count: how many trials there were, those without a p-value too (default k).
    Holm, Scandinavian Journal of Statistics 1979. Raises ValueError for a count below k.
    """
    values = np.asarray(p, dtype=np.float64)
    total = len(values) if count is None else count
    if total < len(values):
        raise ValueError(
            f"{len(values)} p-values of {total} trials: count every trial, also those without one."
        )
    order = np.argsort(values)
    stepped = np.maximum.accumulate(values[order] * (total - np.arange(len(values))))
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(stepped, 1)
    return corrected


def holm_known(p: Sequence[float | None], count: int | None = None) -> list[float | None]:
    """`holm` where some trials have no p-value: None stays. count as there, default the known."""
    told = iter(holm([one for one in p if one is not None], count).tolist())
    return [None if one is None else next(told) for one in p]


def _patterns(
    queries: int, trials: int, draws: int, seed: int
) -> tuple[Iterator[NDArray[np.float32]], bool]:
    """Batches of sign patterns [b, queries], and whether they are all there are."""
    if queries <= EXACT_UP_TO:
        bits = (np.arange(1 << queries)[:, None] >> np.arange(queries)) & 1
        return iter([(1 - 2 * bits).astype(np.float32)]), True
    step = max(1, _CELLS // max(queries, trials))
    sizes = [min(step, draws - start) for start in range(0, draws, step)]
    rng = np.random.default_rng(seed)
    return (
        (rng.integers(0, 2, size=(size, queries), dtype=np.int8) * 2 - 1).astype(np.float32)
        for size in sizes
    ), False


def _highest(statistics: NDArray[np.float32], two_sided: bool) -> NDArray[np.float32]:
    return np.asarray((np.abs(statistics) if two_sided else statistics).max(axis=1))
