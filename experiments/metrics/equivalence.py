"""Is a difference so small that it does not matter?"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from experiments.metrics.sample_size import spread


def equivalence_p(differences: ArrayLike, margin: float, *, largest: float = 1.0) -> float:
    """The p-value of two one-sided tests: small = the mean difference is within +- margin.

    p = P(Z >= (margin - |mean|) / se), the larger of the two tests. se^2 = v / n, where v is the
    variance (with the floor that `spread` has) plus largest * (margin - |mean|): what it would
    grow by if as many queries were wholly won as lift the mean to the margin. A rare large gain
    that these queries happen to lack would otherwise be ruled out by their own small spread.
    `largest` is the most that one query can differ by. p = 1 without a query.
    Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987.

    Raises ValueError for a margin that is not positive, or a value that is not finite.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not margin > 0:
        raise ValueError(f"The margin of equivalence is {margin}: give a positive score.")
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("Equivalence needs one finite difference a query.")
    if not values.size:
        return 1.0
    left = margin - abs(float(values.mean()))
    variance = spread(values, largest=largest) ** 2 + largest * max(left, 0.0)
    return 1 - NormalDist().cdf(left / math.sqrt(variance / values.size))
