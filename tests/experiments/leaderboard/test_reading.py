"""What is said of two columns: gaps in questions, reversals, and never that a gain is real."""

import numpy as np
import pytest

from experiments.leaderboard.board import Board
from experiments.leaderboard.noise import agreement, flips, growing_drop, noise
from experiments.leaderboard.reading import read, sentences


def board(public, private):
    names = tuple(f"s{place}" for place in range(len(public)))
    scores = {"map": (np.array(public), np.array(private))}
    return Board(names, ("",) * len(names), scores, {"map": 4})


def test_the_winner_and_what_choosing_it_cost_are_said_in_questions():
    told = " ".join(sentences(read(board([0.5, 0.8, 0.7], [0.5, 0.6, 0.7]), "map", 100)))
    assert "s1 is best in public of 3 submissions" in told
    assert "falls by 0.2000 (20.0 of 100 questions) to 0.6000, place 2" in told
    assert "Best in private is s2" in told
    assert "cost 0.1000 (10.0 of 100 questions)" in told
    assert "REAL" not in told


def test_pairs_are_counted_by_gap_with_private_ties_as_halves():
    public, private = np.array([0.5, 0.505, 0.6]), np.array([0.5, 0.4, 0.5])
    small, large = flips(public, private, np.array([0.0, 0.05]))
    assert (small.pairs, small.flipped, small.tied) == (1, 1, 0)
    assert (large.pairs, large.flipped, large.tied) == (2, 0, 1)
    assert large.share == 0.25


def test_a_ceiling_of_pure_noise_holds_the_tau_of_boards_that_are_only_noisy():
    chance, inside = np.random.default_rng(1), 0
    for seed in range(40):
        truth = chance.normal(0.8, 0.03, 40)
        told = agreement(*(truth + chance.normal(0, 0.02, (2, 40))), draws=200, seed=seed)
        inside += told.low <= told.tau <= told.high
    assert inside >= 33


def test_an_overfit_family_stands_out_of_the_noise():
    chance = np.random.default_rng(2)
    public = chance.normal(0.8, 0.03, 40)
    private = public + chance.normal(0, 0.005, 40)
    quiet = noise(public, private).deviation
    public[30:] += 0.1
    assert noise(public, private).deviation < 1.5 * quiet + 0.002
    assert agreement(public, private, draws=400).tau < agreement(public, private, draws=400).low
    rho, p = growing_drop(public, private)
    assert rho > 0.3
    assert p < 0.05


@pytest.mark.parametrize("scores", [([0.5, 0.5], [0.5, 0.5]), ([0.1, 0.2, 0.3], [0.4, 0.4, 0.4])])
def test_a_board_that_orders_nothing_has_no_tau(scores):
    assert agreement(*map(np.array, scores)) is None
    assert all("nan" not in sentence for sentence in sentences(read(board(*scores), "map", None)))
