"""One word and one sentence: is a trial better than the baseline, and what to do next?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from experiments.overfit import sentences
from experiments.overfit.evidence import Evidence, weigh
from experiments.overfit.rules import Rules
from experiments.overfit.scores import Gains


class Word(StrEnum):
    """The four answers, in the order in which they are looked for."""

    OVERFIT = "OVERFIT"
    REAL = "REAL"
    NOISE = "NOISE"
    UNRESOLVED = "UNRESOLVED"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The word, what it means here with a next step, and the figures it rests on."""

    word: Word
    sentence: str
    evidence: Evidence


def judge(gains: Gains, *, trial: int | None = None, rules: Rules | None = None) -> Verdict:
    """The verdict on the public winner, or on the trial in this place of `gains`.

    Looked for in this order:
    OVERFIT: the gain drops from public to private by more than choosing again on random re-splits
        makes it drop, and so much, or with so many surprising wins, as chance does in a share
        alpha of re-splits (`drop_test`). Where the private gain is significant too, one claim
        stands against the other, and the drop must be as hard to explain as the gain: its p no
        larger.
    REAL: the private gain is significant at `Rules.level`.
    NOISE: the private difference is within +- equivalence, at alpha (`equivalence_p`).
    UNRESOLVED: all else, and all that is still sealed.
    """
    rules = rules or Rules()
    evidence = weigh(gains, gains.winner if trial is None else trial, rules)
    return Verdict(*_decide(evidence, rules), evidence)


def _decide(evidence: Evidence, rules: Rules) -> tuple[Word, str]:
    drop, p = evidence.drop, evidence.corrected_p
    if drop is None or p is None:
        return Word.UNRESOLVED, sentences.sealed(evidence)
    gained, dropped = p <= evidence.level, drop.p <= rules.alpha and drop.drop > drop.expected
    smallest = 1 / (rules.draws + 1)  # the drop's p cannot be smaller
    if dropped and not (gained and max(p, smallest) < drop.p):
        return Word.OVERFIT, sentences.overfit(evidence, drop)
    if gained:
        return Word.REAL, sentences.real(evidence, p, drop if dropped else None)
    if evidence.equivalence_p <= rules.alpha:
        return Word.NOISE, sentences.noise(evidence, rules.equivalence)
    return Word.UNRESOLVED, sentences.unresolved(evidence, p, rules.equivalence)
