"""Weights cover the simplex, and never leave it."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.fusion.simplex import Grid, Random, Simplex, lattice


def on_simplex(points):
    return (points >= 0).all() and np.allclose(points.sum(axis=1), 1, atol=1e-5)


@given(st.integers(1, 4), st.integers(1, 12))
def test_the_lattice_holds_every_point_once(parts, steps):
    points = lattice(parts, steps)
    assert len(np.unique(points, axis=0)) == len(points) == comb(steps + parts - 1, parts - 1)
    assert on_simplex(points)


def test_a_grid_of_two_parts_goes_from_one_end_to_the_other():
    np.testing.assert_allclose(Grid(steps=4).start(2)[:, 0], [0, 0.25, 0.5, 0.75, 1])


def test_random_points_are_the_same_again_and_begin_in_the_middle():
    points = Random(points=50, seed=3).start(3)
    np.testing.assert_array_equal(points, Random(points=50, seed=3).start(3))
    np.testing.assert_allclose(points[0], 1 / 3, atol=1e-6)
    assert len(points) == 50
    assert on_simplex(points)


def test_the_simplex_search_halves_its_step_and_ends():
    search = Simplex(steps=10, turns=2)
    near = search.around(np.array([0.5, 0.5]), 1)
    assert on_simplex(near)
    np.testing.assert_allclose(np.unique(near[:, 0]), [0.45, 0.5, 0.55])
    corner = search.around(np.array([1.0, 0.0]), 2)
    np.testing.assert_allclose(np.unique(corner[:, 0]), [0.975, 1.0])
    assert not len(search.around(np.array([0.5, 0.5]), 3))


def test_a_grid_too_large_is_refused_before_it_is_made():
    with pytest.raises(ValueError, match="search=random"):
        Grid(steps=100).start(8)
    with pytest.raises(ValueError, match="1 or more"):
        Grid(steps=0).start(2)


def test_random_asks_for_a_point_at_least():
    with pytest.raises(ValueError, match=r"search\.points is 0"):
        Random(points=0).start(2)
