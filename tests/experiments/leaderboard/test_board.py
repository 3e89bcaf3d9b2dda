"""A leaderboard is read as it comes, and says how many questions it has where it can."""

import numpy as np
import pytest

from experiments.leaderboard.board import read_board
from experiments.leaderboard.grid import grid_step, infer_queries


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_are_found_by_their_names_and_lines_without_a_score_are_said(tmp_path):
    text = (
        "\ufeffTeam,Date,Public MAP,Private MAP\r\n가,1일,0.5,0.4\r\n나,,0.25,\r\n다,,0.75,0.5\r\n"
    )
    board = read_board(write(tmp_path / "b.csv", text))
    assert board.names == ("가", "다")
    assert board.times == ("1일", "")
    public, private = board.scores["map"]
    assert (public.tolist(), private.tolist()) == ([0.5, 0.75], [0.4, 0.5])
    assert board.digits == {"map": 2}
    assert len(board.skipped) == 1
    assert "line 3" in board.skipped[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the columns none"),
        ("name,score\na,0.5\n", "public and a private"),
        ("name,public,private\na,0.5,0.5\n", "two or more"),
        ("name,public,private\na,0.5,0.5\nb,x,0.5\n", 'line 3: public is "x"'),
        ("name,public,private\na,0.5,0.5\nb,nan,0.5\n", 'line 3: public is "nan"'),
        ("name,public,private\na,0.5,0.5\nb,87.3,0.5\n", "from 0 to 1"),
    ],
)
def test_a_board_that_cannot_be_read_says_why(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        read_board(write(tmp_path / "b.csv", text))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match="cannot be read as CSV"):
        read_board(tmp_path / "none.csv")


def test_the_grid_of_one_question_holds_every_average_precision_of_three_results():
    hits = [1, 1 / 2, 1 / 3, (1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2]
    step = grid_step("map", 3)
    assert all(abs(value * step - round(value * step)) < 1e-9 for value in hits)
    assert grid_step("mrr", 3) == 6
    assert grid_step("hit_rate", 3) == 1


@pytest.mark.parametrize("queries", [57, 110])
def test_the_number_of_questions_is_read_off_rounded_means(queries):
    chance = np.random.default_rng(0)
    scores = chance.choice([0, 1, 1 / 2, 1 / 3], size=(40, queries), p=[0.3, 0.5, 0.1, 0.1])
    assert infer_queries([scores.mean(axis=1).round(4)], 6, 4) == queries


def test_scores_on_no_grid_and_too_few_scores_tell_nothing():
    chance = np.random.default_rng(0)
    assert infer_queries([chance.random(40).round(4)], 6, 4) is None
    assert infer_queries([np.array([0.5, 0.5])], 6, 4) is None
