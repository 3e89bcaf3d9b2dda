"""The best trials in public, each with p-values that know how many there were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.metrics.significance import PairedDifference, paired_difference
from experiments.overfit.family import corrected
from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores, Values


@dataclass(frozen=True, slots=True)
class Rung:
    """A trial and its gain over the baseline, positive is better.

    public_p, private_p: one-sided max-T p-values, corrected for all trials of that half. The
        public one holds for trials that were fixed before any score was seen.
    private, private_p: None where this trial's private scores are not shown.
    """

    trial: str
    public: PairedDifference
    public_p: float
    private: PairedDifference | None
    private_p: float | None


def ladder(scores: TrialScores, *, top: int = 10, rules: Rules | None = None) -> list[Rung]:
    """The `top` trials with the best public means, best first, equals in the order given."""
    rules, gains = rules or Rules(), scores.gains()
    order = np.argsort(-gains.public.mean(axis=1).round(9), kind="stable")[:top]
    public_p = corrected(gains.public, rules, gains.beside[0]).p
    private_p = np.full(len(gains.names), np.nan)
    if gains.private is not None and gains.shown.any():
        private_p[gains.shown] = corrected(gains.private[gains.shown], rules, gains.beside[1]).p
    return [
        Rung(
            trial=gains.names[place],
            public=_compared(gains.public[place], rules),
            public_p=float(public_p[place]),
            private=_compared(gains.private[place], rules)
            if gains.private is not None and gains.shown[place]
            else None,
            private_p=None if np.isnan(private_p[place]) else float(private_p[place]),
        )
        for place in order
    ]


def _compared(gains: Values, rules: Rules) -> PairedDifference:
    return paired_difference(gains, np.zeros_like(gains), draws=rules.draws, seed=rules.seed)
