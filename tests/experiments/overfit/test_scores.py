"""Gains: signs, missing values, sealed rows, winners, and what is refused."""

import numpy as np
import pytest

from experiments.overfit.redraws import Layout
from experiments.overfit.scores import TrialScores


def scores(**options):
    public = np.array([[0.5, 0.5, 0.5], [0.25, 1, np.nan], [1, 1, 1.0]], dtype=np.float32)
    return TrialScores(["low", "base", "high"], public=public, **{"baseline": 1, **options})


def test_gains_are_over_the_baseline_on_queries_that_all_scored():
    gains = scores().gains()
    assert gains.names == ("low", "high")
    assert gains.rows.tolist() == [0, 2]
    assert gains.public.tolist() == [[0.25, -0.5], [0.75, 0]]
    assert gains.private is None
    assert not gains.shown.any()


def test_lower_may_be_better():
    assert scores(higher_is_better=False).gains().public[1].tolist() == [-0.75, 0]


def test_winner_and_runner_up():
    gains = scores().gains()
    assert (gains.winner, gains.runner_up) == (1, 0)
    two = TrialScores(["a", "b"], public=np.array([[0.1], [0.2]])).gains()
    assert (two.winner, two.runner_up) == (0, None)
    tied = TrialScores(["a", "b", "c"], public=np.array([[0.5, 0], [1, 0], [0, 1.0]])).gains()
    assert (tied.winner, tied.runner_up) == (0, 1)


def test_trials_that_were_never_opened_stay_unknown():
    private = np.array([[np.nan, np.nan], [0.5, 0], [1, np.nan]])
    sealed = scores(private=private)
    gains = sealed.gains()
    assert gains.shown.tolist() == [False, True]
    assert gains.private[1].tolist() == [0.5]
    assert sealed.means(0) == (0.5, None)
    assert sealed.means(2) == (1, 1)


def test_the_layout_follows_the_queries_that_are_left():
    layout = Layout(strata=list("abcde"))
    private = np.array([[1, np.nan], [0.5, 0], [1, 0.5]])
    assert scores(private=private, layout=layout).gains().layout.strata == ["a", "b", "d"]


def test_equal_scores_in_float32_make_no_difference():
    third = np.array([[1 / 3, 0.1], [1 / 3, 0.1]], dtype=np.float32)
    mixed = third.astype(np.float64)
    mixed[0] = [1 / 3, 0.1]
    assert not TrialScores(["a", "b"], public=mixed).gains().public.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": 3}, "baseline in row 3"),
        ({"private": np.zeros((2, 4))}, "private scores have the shape"),
        ({"private": np.array([[1.0], [np.nan], [1.0]])}, "base has no private scores"),
        ({"public": np.full((3, 2), np.nan)}, "no query that all"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TrialScores(
            ["low", "base", "high"], **{"public": np.zeros((3, 2)), "baseline": 1, **options}
        ).gains()


def test_a_baseline_alone_is_refused():
    with pytest.raises(ValueError, match="at least one other"):
        TrialScores(["base"], public=np.zeros((1, 3))).gains()
