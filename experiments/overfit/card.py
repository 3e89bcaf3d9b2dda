"""All that a report says about one trial, as one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.metrics.significance import PairedDifference, paired_difference
from experiments.overfit.backtest import backtest_overfitting
from experiments.overfit.drop import Drop, difference_in_differences
from experiments.overfit.optimism import Optimism, optimism
from experiments.overfit.rank_agreement import RankAgreement, rank_agreement
from experiments.overfit.rules import Rules
from experiments.overfit.scores import Gains, TrialScores, Values
from experiments.overfit.stability import Stability, stability
from experiments.overfit.verdict import Verdict, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One trial (by default the public winner) against the baseline.

    trial: the one judged.  runner_up: the second best in public.
    trials: how many were tried beside the baseline.
    public, private: the gain over the baseline on each half, positive is better, with its 95 %
        interval, wins, losses and ties; private is None while sealed. `.mean * .n` is the gain in
        queries.
    public_means, private_means: mean scores of (trial, baseline).
    optimism: what choosing it for its place among the trials adds to its public gain.
    pbo: probability of backtest overfitting, 0.5 = choosing is noise; None with one trial.
    drop: the public gain less the private one.
    agreement: of the trials' order on both halves; None with fewer than three trials.
    stability: what other draws of the split would have said.
    The last three are None unless every trial, or for `drop` this one, has private scores.
    """

    trial: str
    runner_up: str | None
    baseline: str
    trials: int
    public: PairedDifference
    private: PairedDifference | None
    public_means: tuple[float, float]
    private_means: tuple[float, float] | None
    optimism: Optimism
    pbo: float | None
    drop: Drop | None
    agreement: RankAgreement | None
    stability: Stability | None
    verdict: Verdict


def card(scores: TrialScores, *, trial: str | None = None, rules: Rules | None = None) -> Card:
    """Everything about the public winner, or about the trial of this name.

    Raises ValueError for a name that is not among the trials or is the baseline's, and for what
    `TrialScores.gains` refuses.
    """
    rules, gains = rules or Rules(), scores.gains()
    place = gains.winner if trial is None else _place(gains, trial)
    verdict = judge(gains, trial=place, rules=rules)
    private = gains.private[place] if gains.private is not None and gains.shown[place] else None
    public_means, private_means = _means(scores, int(gains.rows[place]))
    agreement, stable = _across_halves(gains, place, verdict, rules)
    runner_up = gains.runner_up if place == gains.winner else gains.winner
    return Card(
        trial=gains.names[place],
        runner_up=None if runner_up is None else gains.names[runner_up],
        baseline=scores.names[scores.baseline],
        trials=len(gains.names) + gains.beside[0].count,
        public=_compared(gains.public[place], rules),
        private=None if private is None else _compared(private, rules),
        public_means=public_means,
        private_means=private_means,
        optimism=optimism(gains.public, trial=place, draws=rules.draws, seed=rules.seed),
        pbo=backtest_overfitting(gains.public, seed=rules.seed),
        drop=None if private is None else difference_in_differences(gains.public[place], private),
        agreement=agreement,
        stability=stable,
        verdict=verdict,
    )


def _place(gains: Gains, trial: str) -> int:
    if trial not in gains.names:
        raise ValueError(
            f'There is no trial "{trial}" to hold against the baseline: '
            f"choose one of {', '.join(gains.names[:10])}."
        )
    return gains.names.index(trial)


def _means(scores: TrialScores, row: int) -> tuple[tuple[float, float], tuple[float, float] | None]:
    public, private = scores.means(row)
    base_public, base_private = scores.means(scores.baseline)
    if private is None or base_private is None:
        return (public, base_public), None
    return (public, base_public), (private, base_private)


def _compared(gains: Values, rules: Rules) -> PairedDifference:
    return paired_difference(gains, np.zeros_like(gains), draws=rules.draws, seed=rules.seed)


def _across_halves(
    gains: Gains, trial: int, verdict: Verdict, rules: Rules
) -> tuple[RankAgreement | None, Stability | None]:
    if gains.private is None or not gains.shown.all():
        return None, None
    everyone = (  # the baseline gains nothing over itself
        np.pad(half, ((1, 0), (0, 0))) for half in (gains.public, gains.private)
    )
    agreement = rank_agreement(*everyone, layout=gains.layout, seed=rules.seed)
    return agreement, stability(
        gains.public,
        gains.private,
        verdict.evidence.critical,
        trial=trial,
        layout=gains.layout,
        seed=rules.seed,
    )
