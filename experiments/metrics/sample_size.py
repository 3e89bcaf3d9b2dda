"""How small a gain can these queries show, and how many more would show a smaller one?"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

POWER = 0.8


def spread(differences: ArrayLike, *, largest: float = 1.0) -> float:
    """The standard deviation of a query's difference, at least that of one win and one loss.

    The floor is largest * sqrt(2 / n), for n queries of which two differ, by the most a query can:
    n queries without a difference do not prove that the next has none. inf without a query.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not values.size:
        return math.inf
    squares = float(((values - values.mean()) ** 2).sum())
    seen = math.sqrt(squares / max(values.size - 1, 1))
    return max(seen, largest * math.sqrt(2 / values.size))


def minimum_detectable_effect(
    deviation: float, n: int, critical: float, power: float = POWER
) -> float:
    """The true mean difference that n queries find with this power, in score.

    (critical + z_power) * deviation / sqrt(n). critical: what the mean must exceed, in standard
    errors: z of the one-sided level, or `MaxT.critical` with many trials. inf with n = 0.
    Cohen, Statistical Power Analysis, 1988; for retrieval: Sakai, Information Retrieval 2016.
    """
    return (critical + _z(power)) * deviation / math.sqrt(n) if n else math.inf


def queries_needed(deviation: float, effect: float, critical: float, power: float = POWER) -> int:
    """How many queries find a true mean difference of `effect` with this power.

    ((critical + z_power) * deviation / effect)^2, rounded up; the same terms as in
    `minimum_detectable_effect`. Raises ValueError for an effect that is not positive.
    """
    if not effect > 0:
        raise ValueError(f"The effect to be found is {effect}: give a positive score.")
    return math.ceil(((critical + _z(power)) * deviation / effect) ** 2)


def _z(power: float) -> float:
    return NormalDist().inv_cdf(power)
