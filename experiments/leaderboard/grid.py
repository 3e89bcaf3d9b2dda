"""How many questions a board scores, read off the grid that its scores lie on."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

_MOST = 3_000
_SURE = 1e-4


def grid_step(metric: str, depth: int) -> int:
    """Scores of one question are whole multiples of 1 / this, for MAP, MRR and hits at `depth`.

    Reciprocal ranks need the common multiple L of 1 to depth. An average precision that divides by
    the hits or by the relevant documents needs L times the common multiple of those counts; the
    science competition's has at most `depth` hits. Hits need 1.
    """
    common = math.lcm(*range(1, depth + 1))
    kind = metric.lower()
    if "hit" in kind or "acc" in kind or "recall" in kind:
        return 1
    return common if "mrr" in kind or kind == "rr" else common * _hits(depth)


def _hits(depth: int) -> int:
    """What dividing precisions k / r by a number of hits adds to the grid of 1 / L."""
    common = math.lcm(*range(1, depth + 1))
    needed = 1
    for places in range(1, 2**depth):
        ranks = [rank for rank in range(1, depth + 1) if places >> (rank - 1) & 1]
        total = sum(hit * common // rank for hit, rank in enumerate(ranks, start=1))
        needed = math.lcm(needed, len(ranks) // math.gcd(total, len(ranks)))
    return needed


def infer_queries(scores: Iterable[ArrayLike], step: int, digits: int) -> int | None:
    """The smallest number of questions whose means could all be these rounded scores.

    scores: of one metric, any shapes.  step: see `grid_step`.  digits: decimals they have.
    None where no number up to 3,000 fits, or where chance alone would fit as well (a grid so fine
    that most numbers lie on it, or too few different scores). A multiple of the true number fits
    too, so the smallest is said; boards with repeated questions would mislead it.
    """
    values = np.unique(np.concatenate([np.ravel(np.asarray(one)) for one in scores]))
    values = values[(values > 0) & (values < 1)]
    half = 0.5 * 10.0**-digits
    for count in range(1, _MOST + 1):
        cells = count * step
        off = np.abs(values - np.round(values * cells) / cells)
        if (off <= half * (1 + 1e-9)).all():
            chance = min(1.0, 2 * half * cells) ** len(values)
            return count if chance * count < _SURE else None
    return None
