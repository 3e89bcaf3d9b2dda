"""Paired tests: against scipy, against all sign patterns, and where they degenerate."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.metrics.significance import (
    PairedDifference,
    bca_interval,
    mean_interval,
    paired_difference,
    sign_flip_p,
)


def drawn(n, shift=0.1, seed=0):
    return np.random.default_rng(seed).normal(shift, 0.3, n)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([-1, -0.5, 0, 0.25, 0.5, 1]), min_size=1, max_size=8))
def test_few_differences_are_enumerated(differences):
    observed = abs(sum(differences))
    signs = itertools.product([1, -1], repeat=len(differences))
    sums = [abs(np.dot(pattern, differences)) for pattern in signs]
    expected = np.mean([total >= observed - 1e-9 for total in sums])
    assert sign_flip_p(differences) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "tolerance"), [(12, 1e-12), (20, 0.02), (60, 0.02)])
def test_the_p_value_is_that_of_scipy(n, tolerance):
    from scipy.stats import permutation_test

    differences = drawn(n)
    theirs = permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=9_999, rng=1
    )
    assert sign_flip_p(differences) == pytest.approx(theirs.pvalue, abs=tolerance)


@pytest.mark.parametrize(("n", "tolerance"), [(12, 1e-12), (20, 0.02), (60, 0.02)])
def test_the_one_sided_p_value_is_that_of_scipy(n, tolerance):
    from scipy.stats import permutation_test

    for differences in (drawn(n), -drawn(n)):
        theirs = permutation_test(
            (differences,),
            np.mean,
            permutation_type="samples",
            alternative="greater",
            n_resamples=9_999,
            rng=1,
        )
        ours = sign_flip_p(differences, two_sided=False)
        assert ours == pytest.approx(theirs.pvalue, abs=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 110])
def test_the_p_value_is_that_of_ranx(n):
    ranx_tests = pytest.importorskip("ranx.statistical_tests")
    ours, baseline = drawn(n, shift=0.05), np.zeros(n)
    theirs, _ = ranx_tests.fisher_randomization_test(baseline, ours, n_permutations=20_000)
    assert sign_flip_p(ours) == pytest.approx(theirs, abs=0.02)
    student, _ = ranx_tests.paired_student_t_test(baseline, ours)
    assert sign_flip_p(ours) == pytest.approx(student, abs=0.03)


def test_a_large_effect_is_never_impossible():
    assert sign_flip_p(np.ones(200), draws=999) == 1 / 1000


def test_a_known_case_by_hand():
    # Ten wins and four losses of a half: P(|Binomial(14, 1/2) - 7| >= 3).
    assert sign_flip_p([0.5] * 10 + [-0.5] * 4 + [0] * 96) == pytest.approx(0.1795654, abs=1e-6)


@pytest.mark.parametrize("n", [15, 60, 225])
def test_the_interval_is_that_of_scipy(n):
    from scipy.stats import bootstrap

    differences = drawn(n) ** 3
    theirs = bootstrap(
        (differences,), np.mean, method="BCa", n_resamples=20_000, rng=1
    ).confidence_interval
    width = theirs.high - theirs.low
    ours = bca_interval(differences, draws=20_000)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.05 * width)


@pytest.mark.parametrize(
    ("differences", "interval"),
    [([], None), ([0.3], None), ([0.25] * 5, (0.25, 0.25)), ([0.0] * 4, (0.0, 0.0))],
)
def test_intervals_that_degenerate(differences, interval):
    assert bca_interval(differences) == interval


@pytest.mark.parametrize("n", [15, 60, 225])
def test_the_mean_interval_is_that_of_scipy(n):
    from scipy.stats import ttest_1samp

    differences = drawn(n) * 3  # spread enough to be above the floor
    theirs = ttest_1samp(differences, 0).confidence_interval()
    ours = mean_interval(differences, largest=0.1)
    assert ours == pytest.approx((theirs.low, theirs.high))


def test_queries_that_all_tie_leave_room_for_a_rare_change():
    low, high = mean_interval(np.zeros(100))
    assert 0.02 < high < 0.04
    assert low == -high
    assert mean_interval([0.5, 0.5]) == (-1.0, 1.0)
    assert mean_interval([0.3]) is None


def test_the_mean_interval_covers_what_the_bootstrap_does_not():
    rng, inside = np.random.default_rng(0), 0
    for _ in range(600):
        differences = rng.choice([-1, -0.5, 0, 0.5, 1], p=[0.02, 0.03, 0.9, 0.03, 0.02], size=110)
        low, high = mean_interval(differences)
        inside += low <= 0 <= high
    assert 0.93 <= inside / 600 <= 0.98


def test_neither_depends_on_the_order_of_the_queries():
    differences = drawn(80)
    shuffled = np.random.default_rng(1).permutation(differences)
    assert sign_flip_p(differences) == sign_flip_p(shuffled)
    assert bca_interval(differences) == bca_interval(shuffled)


def test_only_queries_scored_on_both_sides_count():
    ours, baseline = [1.0, 0.5, np.nan, 0.0, 0.3], [0.5, 0.5, 1.0, np.nan, 0.1 + 0.2]
    compared = paired_difference(ours, baseline)
    assert (compared.wins, compared.losses, compared.ties, compared.n) == (1, 0, 2, 3)
    assert compared.mean == pytest.approx(0.5 / 3)


def test_a_loss_is_a_rise_where_lower_is_better():
    compared = paired_difference([1.0, 0.0], [0.0, 0.0], higher_is_better=False)
    assert (compared.wins, compared.losses) == (0, 1)


def test_nothing_to_compare():
    nothing = PairedDifference(None, None, None, None, 0, 0, 0, 0)
    assert paired_difference([np.nan], [1.0]) == nothing
    same = paired_difference([0.5, 1.0], [0.5, 1.0])
    assert (same.mean, same.p, same.ties) == (0, 1, 2)
    assert (same.low, same.high) == (-1, 1)


@pytest.mark.parametrize("differences", [[np.nan, 1.0], [np.inf], [[1.0]]])
def test_what_is_no_difference_is_refused(differences):
    with pytest.raises(ValueError, match="one finite number a query"):
        sign_flip_p(differences)


def test_columns_over_other_queries_are_refused():
    with pytest.raises(ValueError, match="over the same queries"):
        paired_difference([1.0], [1.0, 0.0])
