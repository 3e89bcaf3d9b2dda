"""max-T and Holm: against enumeration, against one test, and the rate they promise."""

import itertools

import numpy as np
import pytest

from experiments.metrics.multiple_testing import cautious_t, holm, max_t
from experiments.metrics.significance import sign_flip_p


def nulls(trials, n, seed=0):
    return np.random.default_rng(seed).normal(0, 0.3, (trials, n))


def enumerated(differences):
    norms = np.sqrt((differences**2).sum(axis=1))
    observed = differences.sum(axis=1) / norms
    patterns = itertools.product([1, -1], repeat=differences.shape[1])
    highest = [(np.array(signs) @ differences.T / norms).max() for signs in patterns]
    return np.array([np.mean(np.array(highest) >= value - 1e-6) for value in observed])


def test_few_queries_are_enumerated():
    differences = nulls(4, 8)
    assert max_t(differences).p == pytest.approx(enumerated(differences))
    padded = np.pad(differences, ((0, 0), (0, 50)))
    assert max_t(padded).p == pytest.approx(enumerated(differences))


@pytest.mark.parametrize("two_sided", [True, False])
def test_one_trial_is_the_sign_flip_test(two_sided):
    differences = nulls(1, 40) + 0.05
    corrected = max_t(differences, two_sided=two_sided).p[0]
    assert corrected == pytest.approx(sign_flip_p(differences[0], two_sided=two_sided), abs=0.02)


def test_draws_come_near_enumeration():
    differences = nulls(5, 16, seed=3)
    assert max_t(differences, draws=20_000).p == pytest.approx(enumerated(differences), abs=0.02)


def test_a_copy_of_a_trial_costs_nothing_and_a_stranger_does():
    differences = nulls(3, 60) + 0.05
    alone = max_t(differences).p
    copied = max_t(np.repeat(differences, 20, axis=0)).p[::20]
    assert copied == pytest.approx(alone)
    among = max_t(np.vstack([differences, nulls(40, 60, seed=1)])).p[:3]
    assert (among > alone).all()


def test_the_family_error_is_kept():
    runs = 400
    wrong = sum(
        (max_t(nulls(20, 60, seed=run), draws=199, seed=run).p <= 0.05).any() for run in range(runs)
    )
    assert wrong / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


def test_a_critical_value_separates_what_is_significant():
    found = max_t(nulls(10, 80) + np.linspace(0, 0.2, 10)[:, None])
    significant = found.p <= 0.05
    assert significant.any()
    assert not significant.all()
    assert (found.statistics[~significant] <= found.critical(0.05) + 1e-4).all()


def test_caution_doubts_small_gains_that_have_not_met_a_loss():
    gains = np.zeros((1, 110))
    gains[0, :11] = 1 / 6
    assert max_t(gains).p[0] < 0.001
    assert max_t(gains, cautious=True).p[0] > 0.05
    large = np.where(gains > 0, 1.0, 0.0)
    assert max_t(large, cautious=True).p[0] == max_t(large).p[0]


def test_caution_keeps_the_rate_where_rare_losses_balance_many_gains():
    rng, called = np.random.default_rng(0), {True: 0, False: 0}
    for seed in range(400):
        u = rng.random((1, 220))
        skewed = np.where(u < 0.02, -5 / 6, np.where(u > 0.9, 1 / 6, 0.0))
        for cautious in called:
            found = max_t(skewed, cautious=cautious, draws=199, seed=seed)
            called[cautious] += found.p[0] <= 0.05
    assert called[True] / 400 <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5
    assert called[True] < called[False]


def test_the_cautious_statistic_is_the_plain_one_for_symmetric_differences():
    differences = np.array([[1.0, -1, 0.5, -0.5, 1, -1, 1, 1, 0.5, 0, 0, 0]])
    plain = max_t(differences).statistics
    assert cautious_t(differences, 12) <= plain + 1e-6
    assert cautious_t(differences, 12) == pytest.approx(plain, abs=0.2)
    assert cautious_t(differences[:, :9], 12) == pytest.approx(cautious_t(differences, 12))


def test_a_trial_without_a_difference_is_not_significant():
    assert max_t(np.zeros((2, 30))).p.tolist() == [1, 1]
    assert max_t(np.vstack([np.zeros(30), np.ones(30)])).p[0] == 1


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.01, 0.04, 0.03], count=10) == pytest.approx([0.1, 0.32, 0.27])
    assert holm([0.9, 0.8]).tolist() == [1, 1]
    assert holm([]).tolist() == []


@pytest.mark.parametrize("table", [[1.0, 2.0], [[np.nan, 1.0]], np.zeros((0, 3)), np.zeros((2, 0))])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(ValueError, match="finite number for every trial and query"):
        max_t(table)


def test_fewer_trials_than_p_values_are_refused():
    with pytest.raises(ValueError, match="count every trial"):
        holm([0.1, 0.2], count=1)
