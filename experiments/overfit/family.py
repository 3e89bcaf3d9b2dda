"""The p-values of a half, corrected for every trial that was scored on it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.multiple_testing import max_t
from experiments.overfit.rules import Rules

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Trials that count in the corrected p-values of a half of n queries, and in nothing else.

    gains: float64 [j, n], 0 where a trial's score of a query is not known, as of one that ran on
        another split: what is known of it makes its statistic.
    untold: how many more there are, of whom no score by this metric is known.
    """

    gains: Values
    _: KW_ONLY
    untold: int = 0

    @property
    def count(self) -> int:
        """How many trials."""
        return len(self.gains) + self.untold


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corrected:
    """One-sided p-values of k trials.

    p: float64 [k].  count: how many trials they are corrected for.
    critical: how many standard errors a gain must exceed for p <= `Rules.level`.
    """

    p: Values
    count: int
    critical: float


def corrected(gains: Values, rules: Rules, beside: Beside | None = None) -> Corrected:
    """max-T over the trials [k, n] and those beside them; each untold one adds a trial's own p.

    The sum is at most what Holm gives the smallest of so many p-values (Bonferroni); trials that
    are known cost less, as far as they resemble each other.
    """
    beside = beside or Beside(np.empty((0, gains.shape[1])))
    tested = partial(max_t, cautious=True, draws=rules.draws, seed=rules.seed)
    family = tested(np.concatenate([gains, beside.gains]))
    p, level = family.p[: len(gains)], rules.level / (1 + beside.untold)
    if beside.untold:
        alone = np.array([tested(row[None]).p[0] for row in gains])
        p = np.minimum(p + beside.untold * alone, 1.0)
    return Corrected(
        p=p,
        count=len(gains) + beside.count,
        critical=max(family.critical(level), NormalDist().inv_cdf(1 - level)),
    )
