"""The card and the ladder: all figures of one report, and what is missing while sealed."""

import math
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from experiments.overfit.card import card
from experiments.overfit.ladder import ladder
from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores
from tests.experiments.overfit.drawn import trial_scores

QUICK = Rules(draws=299)


def numbers(value):
    if is_dataclass(value):
        return [n for field in fields(value) for n in numbers(getattr(value, field.name))]
    if isinstance(value, tuple):
        return [n for one in value for n in numbers(one)]
    return [value] if isinstance(value, float) else []


def test_a_clear_winner():
    scores = trial_scores(12, 110, gain=3.0)
    made = card(scores, rules=QUICK)
    assert (made.trial, made.baseline, made.trials) == ("trial 1", "baseline", 12)
    assert made.runner_up not in (made.trial, made.baseline)
    assert made.public_means[0] - made.public_means[1] == pytest.approx(made.public.mean)
    assert made.private_means[0] == pytest.approx(scores.private[1].mean())
    assert made.drop.value == pytest.approx(made.public.mean - made.private.mean)
    assert made.verdict.word == "REAL"
    assert made.pbo < 0.1
    assert all(math.isfinite(value) for value in numbers(made))


def test_it_repeats_bit_by_bit():
    scores = trial_scores(6, 60, seed=4)
    assert card(scores, rules=QUICK) == card(scores, rules=QUICK)


def test_lower_is_better_turns_the_gain_and_keeps_the_means():
    scores = trial_scores(6, 60, gain=3.0)
    failures = TrialScores(
        scores.names,
        public=1 - scores.public,
        private=1 - scores.private,
        higher_is_better=False,
    )
    made, turned = card(scores, rules=QUICK), card(failures, rules=QUICK)
    assert turned.public == made.public
    assert turned.verdict == made.verdict
    assert turned.public_means[0] == pytest.approx(1 - made.public_means[0])


def test_a_sealed_half_leaves_out_what_needs_it():
    scores = trial_scores(6, 60)
    made = card(TrialScores(scores.names, public=scores.public), rules=QUICK)
    missing = (made.private, made.private_means, made.drop, made.agreement, made.stability)
    assert missing == (None,) * 5
    assert made.optimism.value > 0


def test_one_trial():
    made = card(trial_scores(1, 40), rules=QUICK)
    assert (made.runner_up, made.pbo, made.agreement) == (None, None, None)


def test_a_named_trial_and_an_unknown_one():
    scores = trial_scores(4, 40, gain=3.0)
    made = card(scores, trial="trial 3", rules=QUICK)
    assert (made.trial, made.runner_up) == ("trial 3", "trial 1")
    with pytest.raises(ValueError, match='no trial "baseline"'):
        card(scores, trial="baseline")


def test_the_ladder_is_ordered_and_corrected():
    scores = trial_scores(30, 110, gain=3.0)
    rungs = ladder(scores, rules=QUICK)
    means = [rung.public.mean for rung in rungs]
    assert len(rungs) == 10
    assert means == sorted(means, reverse=True)
    assert rungs[0].trial == "trial 1"
    assert rungs[0].private_p < 0.05
    assert all(rung.public_p >= rung.public.p / 2 - 0.02 for rung in rungs)


def test_rungs_that_were_never_opened():
    scores = trial_scores(3, 40, gain=3.0)
    private = np.full_like(scores.private, np.nan)
    private[:2] = scores.private[:2]
    rungs = ladder(TrialScores(scores.names, public=scores.public, private=private), rules=QUICK)
    assert [rung.private is None for rung in rungs] == [False, True, True]
    assert [rung.private_p is None for rung in rungs] == [False, True, True]
