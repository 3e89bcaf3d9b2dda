"""One word and one sentence: is a trial better than the baseline, and what to do next?"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum


class Word(StrEnum):
    """The four answers, in the order in which they are looked for."""

    OVERFIT = "OVERFIT"
    REAL = "REAL"
    NOISE = "NOISE"
    UNRESOLVED = "UNRESOLVED"


@dataclass(frozen=True, slots=True)
class Rules:
    """At which rates a verdict may be wrong.

    alpha: how often OVERFIT, and how often REAL, may be said wrongly; between 0 and 0.5.
    equivalence: differences below this score do not matter.
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
        """What the private test may spend: alpha / 2**look when sealed, alpha when not."""
        return self.alpha if self.look is None else self.alpha / 2**self.look


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The word, the sentence and the figures they rest on; None where a half is missing.

    p: one-sided sign-flip p-value of the private gain.  corrected_p: what is held against
        `level`: p when sealed, the max-T p-value over the shown trials when not.
    overfit_p: how often a random re-split gives a drop this large.
    equivalence_p: the p-value of a difference of `equivalence` or more.
    mde: the smallest true private gain that is found with 80 % power, in score.
    more_queries: about how many further private queries would resolve it; 0 once it is resolved.
    """

    word: Word
    sentence: str
    p: float | None
    corrected_p: float | None
    level: float
    overfit_p: float | None
    equivalence_p: float
    mde: float
    more_queries: int
