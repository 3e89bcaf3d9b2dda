"""A gap that is held against luck: found where it is, and rarely where it is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.position_lab.measures import accuracies, complete, position_gap


def draws(rng, n, rates):
    return (rng.random((n, len(rates))) < np.asarray(rates)).astype(float)


def test_without_an_effect_the_gap_is_what_luck_makes_it():
    rng = np.random.default_rng(0)
    gaps = [position_gap(draws(rng, 100, [0.7] * 5), draws=200, seed=n) for n in range(100)]
    assert np.mean([one.gap for one in gaps]) == pytest.approx(0.107, abs=0.01)
    assert np.mean([one.null for one in gaps]) == pytest.approx(0.107, abs=0.01)


def test_false_alarms_are_as_rare_as_stated():
    rng = np.random.default_rng(1)
    p = [position_gap(draws(rng, 40, [0.7] * 5), draws=400, seed=n).p for n in range(200)]
    assert sum(one <= 0.05 for one in p) <= 16


def test_tasks_that_differ_in_difficulty_raise_no_alarm():
    rng = np.random.default_rng(2)
    alarms = 0
    for seed in range(200):
        rates = rng.random((40, 1)).repeat(5, axis=1)
        alarms += position_gap((rng.random((40, 5)) < rates) * 1.0, draws=400, seed=seed).p <= 0.05
    assert alarms <= 16


def test_a_u_curve_is_found():
    values = draws(np.random.default_rng(3), 100, [0.9, 0.6, 0.5, 0.6, 0.9])
    assert position_gap(values).p < 0.01


def test_the_null_is_that_of_all_permutations():
    values = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    found = position_gap(values, draws=20_000)
    assert found.gap == pytest.approx(2 / 3)
    assert found.null == pytest.approx(1 / 3, abs=0.01)  # 0 or 2/3, each half of the time
    assert found.p == pytest.approx(0.5, abs=0.02)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)), st.integers(1, 30))
def test_the_gap_does_not_depend_on_the_names_of_positions(order, n):
    values = draws(np.random.default_rng(n), n, [0.5] * 5)
    gaps = [position_gap(one, draws=50).gap for one in (values, values[:, order])]
    assert gaps[0] == pytest.approx(gaps[1])


def test_a_task_with_a_missing_answer_is_left_out_of_the_gap_alone():
    values = np.array([[1.0, 0.0], [np.nan, 1.0], [1.0, 1.0]])
    assert position_gap(values, draws=10).n == 2
    assert len(complete(values)) == 2
    first, second = accuracies(values)
    assert (first.mean, second.mean) == (1.0, pytest.approx(2 / 3))


@pytest.mark.parametrize("values", [np.empty((0, 5)), np.full((3, 5), np.nan), np.ones((4, 1))])
def test_nothing_to_compare_gives_no_gap(values):
    found = position_gap(values)
    assert (found.gap, found.p) == (None, None)


def test_equal_answers_everywhere_are_no_effect():
    found = position_gap(np.ones((10, 5)))
    assert (found.gap, found.p) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (7, 10, 0.3968, 0.8922)],
)
def test_intervals_are_the_published_ones(right, n, low, high):
    (share,) = accuracies(np.array([[1.0]] * right + [[0.0]] * (n - right)))
    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-4)


def test_an_empty_column_has_no_accuracy():
    assert accuracies(np.full((2, 1), np.nan))[0].mean is None
