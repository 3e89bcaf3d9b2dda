"""Choosing again, against a loop over the draws."""

import numpy as np
import pytest

from experiments.overfit.reselection import at_place, choose, half_means, place_of


def test_each_draw_chooses_its_best_public_mean():
    rng = np.random.default_rng(0)
    gains, halves = (
        rng.normal(size=(6, 30)),
        rng.permuted(np.tile(np.arange(30) < 12, (50, 1)), axis=1),
    )
    chosen = choose(gains, halves)
    assert chosen.tolist() == [gains[:, half].mean(axis=1).argmax() for half in halves]
    public, private = half_means(gains, chosen, halves)
    for row, half in enumerate(halves):
        assert public[row] == pytest.approx(gains[chosen[row], half].mean(), abs=1e-6)
        assert private[row] == pytest.approx(gains[chosen[row], ~half].mean(), abs=1e-6)


def test_the_first_of_equals_is_chosen():
    gains = np.array([[0.1, 0.2, 0.3, 0.0], [0.3, 0.1, 0.2, 0.0]])
    assert choose(gains, np.array([[True, True, True, False]])).tolist() == [0]


def test_every_place_of_every_draw_is_found_with_equals_in_their_order():
    rng = np.random.default_rng(1)
    sums = rng.integers(0, 4, size=(40, 7)).astype(float)
    ordered = np.argsort(-sums, axis=1, kind="stable")
    for place in range(7):
        assert at_place(sums, place).tolist() == ordered[:, place].tolist()
    assert [place_of(trial, sums[0]) for trial in ordered[0]] == list(range(7))
