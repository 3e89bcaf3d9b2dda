"""PBO: against a slow reading of the paper, and at both ends."""

from itertools import combinations

import numpy as np
import pytest

from experiments.overfit.backtest import backtest_overfitting


def read_from_the_paper(scores, blocks, seed):
    order = np.random.default_rng(seed).permutation(scores.shape[1])
    parts = np.array_split(order, blocks)
    below = []
    for half in combinations(range(blocks), blocks // 2):
        inside = np.concatenate([parts[part] for part in half])
        outside = np.setdiff1d(order, inside)
        best = scores[:, inside].mean(axis=1).argmax()
        others = scores[:, outside].mean(axis=1)
        rank = 1 + (others < others[best]).sum()
        omega = rank / (len(scores) + 1)
        below.append(1.0 if omega < 0.5 else 0.5 if omega == 0.5 else 0.0)
    return np.mean(below)


@pytest.mark.parametrize(("trials", "n"), [(2, 24), (7, 50)])
def test_it_is_that_of_the_paper(trials, n):
    scores = np.random.default_rng(4).normal(size=(trials, n))
    ours = backtest_overfitting(scores, blocks=6, seed=9)
    assert ours == pytest.approx(read_from_the_paper(scores, 6, 9))


def test_one_that_is_always_best_is_no_overfit():
    scores = np.random.default_rng(0).normal(size=(20, 200))
    scores[3] += 2
    assert backtest_overfitting(scores) == 0


def test_equal_trials_give_a_half():
    assert backtest_overfitting(np.zeros((6, 40))) == 0.5
    many = [
        backtest_overfitting(np.random.default_rng(s).normal(size=(10, 64)), blocks=8)
        for s in range(60)
    ]
    assert np.mean(many) == pytest.approx(0.5, abs=0.1)


def test_too_little_to_choose_from():
    assert backtest_overfitting(np.zeros((1, 40))) is None
    assert backtest_overfitting(np.zeros((5, 3))) is None
    assert backtest_overfitting(np.zeros((5, 5))) == 0.5
