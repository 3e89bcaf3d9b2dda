"""At which rates may a verdict be wrong, and which difference matters?"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """What a verdict is held to.

    alpha: how often OVERFIT, and how often REAL, may be said wrongly; between 0 and 0.5.
    equivalence: a true difference below this score does not matter.
    look: which opening of a sealed private half this is, 1 for the first; None: it was never
        sealed, and every trial with private scores counts.
    draws: random draws of each Monte Carlo step.
    """

    _: KW_ONLY
    alpha: float = 0.05
    equivalence: float = 0.02
    look: int | None = None
    draws: int = 10_000
    seed: int = 0

    @property
    def level(self) -> float:
        """What the private test may spend: alpha / 2**look when sealed, alpha when not.

        The looks together spend alpha, however many there are. Raises ValueError for impossible
        values.
        """
        if not 0 < self.alpha < 0.5:
            raise ValueError(f"alpha is {self.alpha}: give a rate between 0 and 0.5.")
        if self.look is not None and self.look < 1:
            raise ValueError(f"look is {self.look}: the first opening is look 1.")
        return self.alpha if self.look is None else self.alpha / 2**self.look
