"""tau-b: against scipy, with an interval, beside what noise leaves of it."""

import numpy as np
import pytest

from experiments.overfit.rank_agreement import rank_agreement


def drawn(trials, n, levels, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (trials, n)) + levels[:, None]


@pytest.mark.parametrize("trials", [5, 40])
def test_tau_is_that_of_scipy_with_ties(trials):
    from scipy.stats import kendalltau

    rng = np.random.default_rng(2)
    public, private = rng.integers(0, 2, (2, trials, 6)).astype(float)
    found = rank_agreement(public, private, draws=50)
    theirs = kendalltau(public.mean(axis=1), private.mean(axis=1)).statistic
    assert found.tau == pytest.approx(theirs)
    assert -1 <= found.low <= found.tau <= found.high <= 1


def test_honest_halves_agree_as_noise_allows():
    levels = np.linspace(0, 1, 25)
    inside = 0
    for seed in range(40):
        scores = drawn(25, 120, levels, seed)
        found = rank_agreement(scores[:, :60], scores[:, 60:], draws=100, seed=seed)
        inside += found.noise_low <= found.tau <= found.noise_high
    assert inside >= 34


def test_equal_trials_agree_by_chance_only():
    scores = drawn(20, 100, np.zeros(20))
    found = rank_agreement(scores[:, :50], scores[:, 50:], draws=200)
    assert abs(found.noise) < 0.1


def test_many_trials_are_sampled():
    levels = np.linspace(0, 3, 600)
    scores = drawn(600, 60, levels)
    found = rank_agreement(scores[:, :30], scores[:, 30:], draws=5)
    from scipy.stats import kendalltau

    exact = kendalltau(scores[:, :30].mean(axis=1), scores[:, 30:].mean(axis=1)).statistic
    assert found.tau == pytest.approx(exact, abs=0.01)


def test_nothing_to_order():
    two = np.array([[0.0, 1], [1, 1]])
    assert rank_agreement(two, two) is None
    same = np.ones((5, 4))
    assert rank_agreement(same, same) is None
