"""The interval for a board holds the board's mean as often as it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from experiments.board_prediction import predict


def test_it_is_the_prediction_interval_of_the_textbook():
    scores = np.array([0.2, 0.4, 0.4, 0.5, 0.7])
    found = predict("map@3", scores, 4)
    reach = stats.t.ppf(0.975, 4) * scores.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert found.low == pytest.approx(scores.mean() - reach)
    assert found.high == pytest.approx(min(scores.mean() + reach, 1.0))
    assert (found.n_local, found.n_board) == (5, 4)


def test_a_board_drawn_alike_falls_inside_in_95_of_100():
    rng = np.random.default_rng(0)
    draws = rng.choice([0, 1 / 3, 1 / 2, 1], p=[0.2, 0.1, 0.2, 0.5], size=(2000, 220))
    inside = 0
    for row in draws:
        found = predict("map@3", row[:110], 110)
        inside += found.low <= row[110:].mean() <= found.high
    assert 0.93 <= inside / 2000 <= 0.97


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.integers(1, 1000))
def test_it_stays_within_the_scores_and_narrows_with_the_board(scores, n_board):
    found, wider = predict("m", scores, n_board), predict("m", scores, 1)
    assert 0 <= found.low <= found.high <= 1
    assert wider.low <= found.low + 1e-12
    assert found.high <= wider.high + 1e-12


def test_scores_that_are_missing_are_left_out():
    assert predict("m", [0.0, np.nan, 1.0], 5).n_local == 2
    assert predict("m", [np.nan, 1.0], 5) is None
    assert predict("m", [], 5) is None


def test_a_board_without_queries_is_refused():
    with pytest.raises(ValueError, match="0 queries"):
        predict("m", [0.0, 1.0], 0)
