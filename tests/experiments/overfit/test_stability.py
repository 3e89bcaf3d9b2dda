"""Other draws of the split: a clear winner stays, equal trials take turns."""

import numpy as np
import pytest

from experiments.overfit.stability import stability
from tests.experiments.overfit.drawn import trial_scores


def of(trials, n, gain, **options):
    gains = trial_scores(trials, n, gain=gain).gains()
    return stability(gains.public, gains.private, 1.645, **options)


def test_a_clear_winner_wins_on_every_draw():
    found = of(10, 100, 3.0)
    assert (found.same, found.ahead, found.significant) == (1, 1, 1)
    assert 0 < found.low <= found.middle <= found.high


def test_equal_trials_take_turns():
    found = of(20, 100, 0.0)
    assert found.same < 0.9
    assert found.significant < 0.4
    assert found.low < 0 < found.high


def test_draws_repeat_with_their_seed():
    assert of(5, 40, 0.3, seed=2, draws=30) == of(5, 40, 0.3, seed=2, draws=30)
    assert of(5, 40, 0.3, draws=30).draws == 30


def test_a_trial_without_a_difference_is_not_ahead():
    same = np.zeros((1, 20))
    found = stability(same, same, 1.645)
    assert (found.ahead, found.significant, found.middle) == pytest.approx((0, 0, 0))
