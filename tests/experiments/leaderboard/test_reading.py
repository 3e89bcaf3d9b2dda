"""What is said of two columns: gaps in questions, reversals, and never that a gain is real."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.leaderboard.board import Board
from experiments.leaderboard.noise import agreement, flips, growing_drop, noise
from experiments.leaderboard.reading import read, sentences
from experiments.leaderboard.study import Leaderboard
from experiments.setting import Setting
from experiments.tracking.none import NoTracker


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


def test_a_file_sorted_by_its_scores_tells_nothing_of_time():
    chance = np.random.default_rng(0)
    public = np.sort(chance.random(20))
    private = public - chance.random(20) / 10
    assert read(board(public, private), "map", None).growth is None
    shuffled = chance.permutation(20)
    assert read(board(public[shuffled], private[shuffled]), "map", None).growth is not None
    timed = replace(board(public, private), in_time=True)
    assert "In the order of time" in " ".join(sentences(read(timed, "map", None)))


def test_the_page_and_the_text_hold_each_metric_and_any_name(tmp_path, capsys):
    names = ["<script>alert(1)</script>", "가", "가"]
    lines = [f"{name},0.{5 + n},0.{7 - n},0.5,0.5" for n, name in enumerate(names)]
    head = "name,public_map,private_map,public_mrr,private_mrr"
    (tmp_path / "b.csv").write_text("\n".join([head, *lines]), encoding="utf-8")
    setting = Setting(
        dataset=None,
        metrics=None,
        split=None,
        tracker=NoTracker(),
        submission=None,
        store=None,
        folder=tmp_path,
    )
    made = Leaderboard(title="leaderboard", setting=setting, path=str(tmp_path / "b.csv"))
    folder = made.run().folder
    page = (folder / "leaderboard.html").read_text(encoding="utf-8")
    assert names[0] not in page
    assert "<h2>map</h2>" in page
    assert "<h2>mrr</h2>" in page
    assert page.count("<td>가</td>") == 4
    said = capsys.readouterr().out
    assert said.count("Two means a submission") == 1
    assert "REAL" not in said + page.partition("<main>")[2].replace(names[0], "")
    assert "mrr: " in (folder / "leaderboard.txt").read_text(encoding="utf-8")
