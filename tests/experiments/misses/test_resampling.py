"""The statistics against the plainest way to count them, and what resampling keeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from experiments.misses.resampling import (
    ByValue,
    auc,
    cumulative_share,
    decile_shares,
    ends,
    permutations,
    redrawn,
)

SETS = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: len({missed for _, missed in rows}) == 2
)


def groups(values, missed):
    by_value = ByValue.of(np.asarray(values, dtype=float))
    weights = np.asarray(missed, dtype=float)[by_value.order]
    return by_value.summed(weights), by_value.summed(1 - weights)


@settings(max_examples=100, deadline=None)
@given(SETS)
def test_auc_is_mann_whitneys_u_over_its_maximum(rows):
    values, missed = map(np.array, zip(*rows, strict=True))
    theirs = mannwhitneyu(values[missed], values[~missed]).statistic
    ours = float(auc(*groups(values, missed)))
    assert ours == pytest.approx(theirs / (missed.sum() * (~missed).sum()))
    assert float(auc(*groups(-values, missed))) == pytest.approx(1 - ours)


@settings(max_examples=100, deadline=None)
@given(SETS)
def test_shares_add_up_and_turn_round_with_the_values(rows):
    values, missed = map(np.array, zip(*rows, strict=True))
    shares = decile_shares(*groups(values, missed))
    assert shares.sum() == pytest.approx(1)
    assert (shares >= -1e-12).all()
    np.testing.assert_allclose(decile_shares(*groups(-values, missed)), shares[::-1], atol=1e-12)
    np.testing.assert_allclose(ends(*groups(values, missed)), shares[[0, -1]], atol=1e-12)


def test_shares_by_hand():
    missed = [1, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    shares = decile_shares(*groups(range(10), missed))
    np.testing.assert_allclose(shares, np.array(missed) / 3)
    tied = cumulative_share(*groups([0] * 5 + [1] * 5, missed), np.array([0.1, 0.5, 0.6]))
    np.testing.assert_allclose(tied, [1 / 15, 1 / 3, 1 / 3 + 2 / 15])
    np.testing.assert_allclose(decile_shares(*groups([4] * 10, missed)), np.full(10, 0.1))


def test_one_side_alone_has_no_statistic():
    assert np.isnan(auc(*groups([1, 2], [1, 1])))
    assert np.isnan(decile_shares(*groups([1, 2], [0, 0]))).all()


def test_permutations_use_each_value_once_and_keep_documents_together():
    documents = np.repeat(np.arange(12), [1, 5, 2, 4, 3, 1, 1, 6, 2, 2, 1, 2])
    rows = np.concatenate(list(permutations(documents, 200, seed=3)))
    assert rows.shape == (200, 30)
    assert (np.sort(rows, axis=1) == np.arange(30)).all()
    inner = documents[1:] == documents[:-1]
    neighbours = (np.diff(rows, axis=1) == 1).mean()
    assert neighbours > inner.mean() * 0.9
    plain = np.concatenate(list(permutations(np.arange(30), 2_000, seed=3)))
    assert (np.diff(plain, axis=1) == 1).mean() < 0.05
    first = np.bincount(plain[:, 0], minlength=30)
    assert first.min() > 30
    np.testing.assert_array_equal(rows, np.concatenate(list(permutations(documents, 200, seed=3))))


def test_a_bootstrap_draws_as_many_clusters_as_there_are_whatever_the_blocks():
    blocks = list(redrawn(7, 1 << 20, 11, seed=0))
    counts = np.concatenate(blocks)
    assert len(blocks) > 1
    assert counts.shape == (11, 7)
    assert (counts.sum(axis=1) == 7).all()
