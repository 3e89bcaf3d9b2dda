"""Entropy of the topics of a chunk: exact values, bounds, and shares that are none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chunk_quality.topic_model import entropy, normalised


def test_one_topic_has_entropy_zero():
    values = entropy(np.eye(30))
    assert (values == 0.0).all()
    assert not np.signbit(values).any()


@pytest.mark.parametrize("k", [2, 3, 7, 30, 150])
def test_level_topics_have_entropy_ln_k(k):
    assert entropy(np.full((1, k), 1 / k))[0] == pytest.approx(np.log(k), abs=1e-12)
    assert normalised(np.full((1, k), 1 / k))[0] == pytest.approx(1.0, abs=1e-12)


def test_entropy_of_known_shares_in_nats():
    assert entropy([[0.5, 0.25, 0.25, 0.0]])[0] == pytest.approx(1.5 * np.log(2), abs=1e-12)


def test_a_single_topic_has_entropy_zero_and_no_normalised_value():
    assert entropy([[1.0], [1.0]]).tolist() == [0.0, 0.0]
    assert np.isnan(normalised([[1.0], [1.0]])).all()


def test_a_chunk_without_topics_has_no_entropy():
    assert np.isnan(entropy([[np.nan, np.nan], [1.0, 0.0]])).tolist() == [True, False]


@given(arrays(np.float64, (4, 5), elements=st.floats(0.0, 1.0)))
def test_entropy_lies_between_zero_and_ln_k(weights):
    weights[:, 0] += 1e-3
    shares = weights / weights.sum(axis=1, keepdims=True)
    values = entropy(shares)
    assert ((values >= 0) & (values <= np.log(5) + 1e-12)).all()
    np.testing.assert_allclose(values, entropy(shares[:, ::-1]), atol=1e-12)
    assert (normalised(shares) <= 1).all()


@pytest.mark.parametrize("topics", [[[0.5, 0.2]], [[1.5, -0.5]], [0.5, 0.5]])
def test_shares_that_are_none_are_refused(topics):
    with pytest.raises(ValueError, match="topics"):
        entropy(topics)
