"""The drop: its formula, its rate where nothing leaks, and a leak that it finds."""

import math

import numpy as np
import pytest

from experiments.overfit.drop import difference_in_differences, drop_test, surprise
from experiments.overfit.redraws import Layout
from tests.experiments.overfit.drawn import trial_scores


def halves(trials, n, seed, leak=0):
    gains = trial_scores(trials, n, seed=seed).gains()
    if leak:
        gains.public[0, :leak] = 1.0
    return gains.public, gains.private


def test_the_difference_in_differences_by_hand():
    public, private = np.array([1.0, 0, 0, 1]), np.array([0.0, 1, -1, 0, 0])
    drop = difference_in_differences(public, private)
    assert drop.value == pytest.approx(0.5)
    # Both halves lie under the floor of one win and one loss: 1/sqrt(2), sqrt(2/5), sqrt(2/9).
    low, high = public.std(ddof=1), private.std(ddof=1)
    error = math.sqrt(max(low, math.sqrt(0.5)) ** 2 / 4 + max(high, math.sqrt(0.4)) ** 2 / 5)
    assert drop.error == pytest.approx(error)
    pooled = np.concatenate([public - 0.5, private])
    expected = 2.4865 * max(pooled.std(ddof=1), math.sqrt(2 / 9)) * math.sqrt(1 / 4 + 1 / 5)
    assert drop.detectable == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("trials", [1, 15])
def test_a_split_of_honest_trials_is_rarely_called_overfit(trials):
    runs = 300
    called = sum(
        drop_test(*halves(trials, 60, seed), draws=119, seed=seed).p <= 0.05 for seed in range(runs)
    )
    assert called / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


def test_a_row_of_leaked_labels_is_found_by_its_surprising_wins():
    found = [drop_test(*halves(15, 60, seed, leak=25), draws=199, seed=seed) for seed in range(10)]
    assert sum(test.p <= 0.05 for test in found) >= 8
    assert sum(test.surprise_p <= test.drop_p for test in found) >= 8


def test_choosing_explains_the_drop_of_the_best_of_many():
    public, private = halves(40, 80, 5)
    chosen = drop_test(public, private, draws=500)
    assert chosen.expected > 0.02
    best = int(public.mean(axis=1).argmax())
    alone = drop_test(public[[best]], private[[best]], draws=500)
    assert alone.drop == pytest.approx(chosen.drop)
    assert alone.drop_p < chosen.drop_p
    assert alone.expected == pytest.approx(0, abs=0.01)


def test_the_second_best_of_honest_trials_is_rarely_called_overfit():
    def second(seed):
        public, private = halves(20, 60, seed)
        trial = int(np.argsort(-public.mean(axis=1), kind="stable")[1])
        return drop_test(public, private, trial, draws=119, seed=seed).p

    runs = 200
    called = sum(second(seed) <= 0.05 for seed in range(runs))
    assert called / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5  # 16 % without its place


def test_what_choosing_explains_can_be_given():
    public, private = halves(1, 80, 6)
    plain, shifted = (
        drop_test(public, private, explained=explained, draws=500)
        for explained in ((0.0, 0.0), (0.03, 0.0))
    )
    assert shifted.drop == pytest.approx(plain.drop)
    assert shifted.drop_p > plain.drop_p
    assert shifted.expected == pytest.approx(0.03, abs=0.01)


def test_a_surprise_is_a_win_that_the_others_do_not_share():
    gains = np.array([[1.0, 1.0, -1.0], [0.0, 1.0, 0.0]])
    assert surprise(gains)[0] == pytest.approx([(2 / 3) ** 3, (1 / 3) ** 3, 0])
    assert surprise(gains, alone=True)[0] == pytest.approx([1 / 8, 1 / 8, 0])


def test_halves_that_strata_hold_apart_show_no_drop():
    public, private = halves(3, 20, 0, leak=20)
    apart = Layout(strata=["easy"] * 20 + ["hard"] * 20)
    assert drop_test(public, private, draws=199).p <= 0.05
    assert drop_test(public, private, layout=apart, draws=199).p == 1
