"""The figures that a verdict rests on."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.equivalence import equivalence_p
from experiments.metrics.sample_size import minimum_detectable_effect, queries_needed, spread
from experiments.metrics.significance import sign_flip_p
from experiments.overfit.drop import DropTest, drop_test, surprise
from experiments.overfit.family import corrected
from experiments.overfit.optimism import optimism
from experiments.overfit.rules import Rules
from experiments.overfit.scores import Gains

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One trial against the baseline; None where its private half is not shown.

    trials: how many the winner could have been chosen from.  family: how many `corrected_p` counts.
    public, private: mean gains in score.
    n: queries of the half that decides, the private one, or the public one while that is sealed.
    differing: queries, of the halves that are shown, on which the two do not score alike.
    p: one-sided sign-flip p-value of the private gain.  corrected_p: the max-T p-value that is
        held against `level`: of this trial alone when sealed, over the shown trials when not.
    critical: how many standard errors that test asks for.
    drop: whether the drop from public to private is more than chance.
    equivalence_p: the p-value of a difference of `Rules.equivalence` or more.
    mde: the smallest true gain that n queries find with 80 % power, in score.
    more_queries: about how many beyond n would settle a gain of this size, at least `equivalence`.
    """

    trials: int
    family: int
    public: float
    private: float | None
    n: int
    differing: int
    p: float | None
    corrected_p: float | None
    level: float
    critical: float
    drop: DropTest | None
    equivalence_p: float
    mde: float
    more_queries: int


def weigh(gains: Gains, trial: int, rules: Rules) -> Evidence:
    """All figures for the trial in this place of `gains`."""
    private = _shown_private(gains, trial)
    decisive = gains.public[trial] if private is None else private
    test = _PrivateTest(critical=NormalDist().inv_cdf(1 - rules.level))
    if gains.private is not None and private is not None:
        test = _tested(gains, gains.private, trial, rules)
    return Evidence(
        trials=len(gains.names),
        public=float(gains.public[trial].mean()),
        private=None if private is None else float(private.mean()),
        n=len(decisive),
        differing=sum(
            int(np.count_nonzero(half))
            for half in (gains.public[trial], private)
            if half is not None
        ),
        p=test.p,
        corrected_p=test.corrected_p,
        family=test.family,
        level=rules.level,
        critical=test.critical,
        drop=None if private is None else _drop(gains, trial, private, rules),
        equivalence_p=equivalence_p(decisive, rules.equivalence),
        mde=minimum_detectable_effect(spread(decisive), len(decisive), test.critical),
        more_queries=_more_queries(decisive, private is not None, test.critical, rules),
    )


class _PrivateTest(NamedTuple):
    critical: float
    family: int = 1
    p: float | None = None
    corrected_p: float | None = None


def _tested(gains: Gains, private: Values, trial: int, rules: Rules) -> _PrivateTest:
    """Is the private gain more than luck? Alone when sealed, else among all that were shown."""
    shown = gains.shown if rules.look is None else np.arange(len(gains.names)) == trial
    beside = gains.beside[1] if rules.look is None else None
    family = corrected(private[shown], rules, beside)
    return _PrivateTest(
        critical=family.critical,
        family=family.count,
        p=sign_flip_p(private[trial], two_sided=False, draws=rules.draws, seed=rules.seed),
        corrected_p=float(family.p[shown[:trial].sum()]),
    )


def _shown_private(gains: Gains, trial: int) -> Values | None:
    return gains.private[trial] if gains.private is not None and gains.shown[trial] else None


def _drop(gains: Gains, trial: int, private: Values, rules: Rules) -> DropTest:
    """Choosing is repeated on re-splits, or its optimism taken off where scores are sealed."""
    draws, seed = rules.draws, rules.seed
    if gains.private is not None and gains.shown.all():
        return drop_test(
            gains.public, gains.private, trial, layout=gains.layout, draws=draws, seed=seed
        )
    measured = gains.public, surprise(gains.public, alone=True)
    added = (
        optimism(gains.public, one, trial=trial, draws=draws, seed=seed).value for one in measured
    )
    mean, unexpected = (max(value, 0.0) for value in added)  # a named trial may have lost by it
    own = gains.public[trial][None], private[None]
    return drop_test(
        *own, explained=(mean, unexpected), layout=gains.layout, draws=draws, seed=seed
    )


def _more_queries(decisive: Values, is_private: bool, critical: float, rules: Rules) -> int:
    """For a gain as large as the private one; where that is below `equivalence`, for either end."""
    normal, deviation = NormalDist(), spread(decisive)
    gain = float(decisive.mean()) if is_private else 0.0
    needed = queries_needed(deviation, max(gain, rules.equivalence), critical)
    if gain <= rules.equivalence:
        # Both tests of equivalence must pass, so each may miss half as often; their variance is
        # that of `equivalence_p` for equal means.
        equal, wider = normal.inv_cdf(1 - rules.alpha), (deviation**2 + rules.equivalence) ** 0.5
        needed = max(needed, queries_needed(wider, rules.equivalence, equal, power=0.9))
    return max(needed - len(decisive), 0)
