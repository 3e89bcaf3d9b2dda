"""What choosing adds is taken off: on equal trials, on one clear winner, on one alone."""

import numpy as np
import pytest

from experiments.overfit.optimism import optimism


def nulls(trials, n, seed):
    return np.random.default_rng(seed).normal(0, 0.2, (trials, n))


def test_the_best_of_equal_trials_is_worth_nothing_out_of_bag():
    found = [optimism(nulls(30, 100, seed), draws=100, seed=seed) for seed in range(40)]
    observed = np.mean([one.observed for one in found])
    assert observed == pytest.approx(0.2 * 2.04 / 10, rel=0.1)  # E of the best of 30 normals
    assert np.mean([one.corrected for one in found]) == pytest.approx(0, abs=0.005)


def test_a_clear_winner_keeps_its_gain():
    gains = nulls(30, 100, 1)
    gains[7] += 0.5
    found = optimism(gains, draws=500)
    assert found.value == pytest.approx(0, abs=0.01)
    assert found.observed == pytest.approx(gains[7].mean())


def test_one_trial_was_not_chosen():
    gains = nulls(1, 20, 0)
    assert optimism(gains).value == 0


def test_something_else_may_be_measured_of_the_chosen():
    gains = nulls(10, 60, 2)
    assert optimism(gains, gains**2, draws=300).observed == pytest.approx(
        (gains[gains.mean(axis=1).argmax()] ** 2).mean()
    )


def test_seeds_repeat_and_one_query_is_refused():
    gains = nulls(5, 30, 3)
    assert optimism(gains, draws=50, seed=1) == optimism(gains, draws=50, seed=1)
    with pytest.raises(ValueError, match="two or more"):
        optimism(gains[:, :1])
