"""The simulator: its truth is true, its tuning tunes, and a stopped run goes on."""

import json
import sys

import numpy as np
import pytest

from benchmarks.overfit_scenarios import LUCK, Cell, draw, scored, theta_of
from benchmarks.overfit_simulation import main, replicate


def mean_gain(cell, row, half, runs=60):
    gains = []
    for number in range(runs):
        scores, _ = draw(cell, np.random.default_rng([1, number]))
        values = getattr(scores, half)
        gains.append((values[row] - values[0]).mean())
    return np.mean(gains)


def test_a_level_is_the_mean_of_the_system():
    rng = np.random.default_rng(5)
    fresh = rng.normal(0, 1.6, 400_000) + LUCK * rng.standard_normal(400_000)
    assert scored(theta_of(0.92) + fresh).mean() == pytest.approx(0.92, abs=0.002)


def test_the_better_trial_is_better_by_the_effect():
    scores, truth = draw(Cell("effect", 100_000, 2, 0.05), np.random.default_rng(0))
    better = int(truth.argmax())
    assert truth[better] == 0.05
    gain = (scores.public[better] - scores.public[0]).mean()
    assert gain == pytest.approx(0.05, abs=0.004)


@pytest.mark.parametrize("scenario", ["null", "correlated", "skewed"])
def test_nobody_is_better_in_a_null(scenario):
    cell = Cell(scenario, 2_000, 2)
    assert mean_gain(cell, -1, "public") == pytest.approx(0, abs=0.003)


@pytest.mark.parametrize("scenario", ["climb", "unlogged", "vote"])
def test_tuning_lifts_the_public_half_alone(scenario):
    cell = Cell(scenario, 110, 1 if scenario == "unlogged" else 50)
    assert mean_gain(cell, -1, "public") > 0.02
    assert mean_gain(cell, -1, "private") == pytest.approx(0, abs=0.01)


def test_a_leak_is_on_the_queries_that_failed():
    cell = Cell("leak_failing", 110, 1, leak=8, level=0.8)
    assert mean_gain(cell, 1, "public") > 0.03
    assert mean_gain(cell, 1, "private") == pytest.approx(0, abs=0.015)


def test_a_replicate_repeats():
    cell = Cell("null", 60, 5)
    assert replicate(cell, 3, 39) == replicate(cell, 3, 39)
    assert replicate(cell, 3, 39) != replicate(cell, 4, 39)


def test_a_finished_cell_is_not_run_again(tmp_path, monkeypatch, capsys):
    file = tmp_path / "rates.jsonl"
    options = ["--n", "20", "--replicates", "4", "--draws", "19", "--file", str(file)]
    monkeypatch.setattr(sys, "argv", ["simulation", "--trials", "2", *options])
    main()
    with file.open("a") as stopped:
        stopped.write('{"cell": ')
    monkeypatch.setattr(sys, "argv", ["simulation", "--trials", "2", "3", *options])
    main()
    cells = [json.loads(line)["cell"]["trials"] for line in file.read_text().split("\n") if line]
    assert cells == [2, 3]
    assert "| null | 20 | 3 |" in capsys.readouterr().out
