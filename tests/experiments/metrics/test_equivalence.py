"""Two one-sided tests: against scipy, and where nothing differs."""

import numpy as np
import pytest

from experiments.metrics.equivalence import equivalence_p


def test_the_larger_of_two_one_sided_tests():
    from scipy.stats import ttest_1samp

    differences = np.random.default_rng(0).normal(0.01, 0.4, 400)
    below = ttest_1samp(differences, 0.05, alternative="less").pvalue
    above = ttest_1samp(differences, -0.05, alternative="greater").pvalue
    ours = equivalence_p(differences, 0.05, largest=1e-9)
    assert ours == pytest.approx(max(below, above), abs=0.002)
    assert ours < equivalence_p(differences, 0.05)


def test_ties_alone_prove_nothing_until_there_are_many():
    assert equivalence_p(np.zeros(30), 0.02) > 0.05
    assert equivalence_p(np.zeros(400), 0.02) < 0.05
    assert equivalence_p([], 0.02) == 1


def test_a_difference_as_large_as_the_margin_is_rarely_called_equal():
    rng, called = np.random.default_rng(1), 0
    for _ in range(500):
        wins = (rng.random(220) < 0.02).astype(float)
        called += equivalence_p(wins, 0.02) <= 0.05
    assert called / 500 <= 0.05 + 3 * (0.05 * 0.95 / 500) ** 0.5


@pytest.mark.parametrize(
    ("differences", "margin", "message"),
    [([0.1], 0.0, "positive"), ([np.nan], 0.02, "finite"), ([[0.1]], 0.02, "finite")],
)
def test_what_cannot_be_tested_is_refused(differences, margin, message):
    with pytest.raises(ValueError, match=message):
        equivalence_p(differences, margin)
