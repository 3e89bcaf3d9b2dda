"""What a choice among weightings is worth, on cases that can be checked by hand."""

import numpy as np

from experiments.fusion.choice import best, bootstrap_best, flatness, folds

LINE = np.array([[0.0, 1.0], [0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [1.0, 0.0]])


def test_of_equal_points_the_middle_of_the_plateau_is_chosen():
    scores = np.array([[0.0, 0.0], [1.0, 0.5], [1.0, 0.5], [1.0, 0.5], [0.0, 0.0]])
    assert best(scores, LINE) == 2


def test_only_the_queries_asked_for_decide():
    scores = np.array([[9.0, 0.0], [0.0, 1.0]])
    assert best(scores, LINE[:2]) == 0
    assert best(scores, LINE[:2], np.array([False, True])) == 1


def test_folds_are_even_and_keep_groups_together():
    groups = [[0, 1, 2], [3], [4], [5], [6, 7], [8]]
    fold = folds(groups, 3, 9, seed=1)
    assert np.bincount(fold).tolist() == [3, 3, 3]
    assert all(len(set(fold[group])) == 1 for group in groups)
    np.testing.assert_array_equal(fold, folds(groups, 3, 9, seed=1))


def test_the_bootstrap_finds_a_clear_best_and_spreads_over_a_doubtful_one():
    clear = np.array([[0.1], [0.2], [0.9], [0.2], [0.1]]) * np.ones((1, 30))
    np.testing.assert_allclose(bootstrap_best(clear, LINE, 50, seed=0), [[0.5, 0.5]] * 50)
    noise = np.random.default_rng(0).random((5, 30))
    drawn = bootstrap_best(noise, LINE, 200, seed=0)
    assert len(np.unique(drawn[:, 0])) > 1


def test_a_level_surface_is_called_flat_and_a_peak_narrow():
    top = np.array([0.0, 1.0] * 20)
    level = flatness(np.tile(top, (50, 1)), top)
    assert level.share == 1.0
    assert "Stop tuning" in level.words
    peak = flatness(np.vstack([top, np.zeros((49, 40))]), top)
    assert peak.share == 1 / 50
    assert "The weights matter" in peak.words
    np.testing.assert_allclose(peak.error, top.std(ddof=1) / np.sqrt(40))
