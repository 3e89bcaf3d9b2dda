"""A leaderboard is read as it comes, and says how many questions it has where it can."""

import numpy as np
import pytest

from experiments.leaderboard.board import read_board
from experiments.leaderboard.grid import grid_step, infer_queries
from experiments.leaderboard.times import in_order, times_of


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
    assert len(board.notes) == 2
    assert "line 3" in board.notes[0]
    assert "not read as times" in board.notes[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the columns none"),
        ("name,score\na,0.5\n", "public and a private"),
        ("name,public,private\na,0.5,0.5\nb,0.5,\n", "two or more"),
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


def test_percent_signs_decimal_commas_and_other_separators_are_read(tmp_path):
    text = "name;public score;private score\na;87,73 %;85.76%\nb;0,5;.25\nc;100%;1\n"
    board = read_board(write(tmp_path / "b.csv", text))
    public, private = board.scores["score"]
    assert public == pytest.approx([0.8773, 0.5, 1])
    assert private == pytest.approx([0.8576, 0.25, 1])
    assert board.digits == {"score": 4}
    quoted = 'name,public,private\n"x, y","0,5","0,25"\nb,0.5,-\nc,0.5,0.5,more\n\n'
    board = read_board(write(tmp_path / "q.csv", quoted))
    assert board.names == ("x, y", "c")
    assert "line 3: no private" in board.notes[0]


def test_submissions_stand_in_the_order_of_their_times_whatever_the_file_does(tmp_path):
    text = "candidate,when,public,private\na,2024.10.07 1:36,1,1\nb,2024.10.05 20:39,0,0\n"
    board = read_board(write(tmp_path / "b.csv", text))
    assert (board.names, board.in_time) == (("b", "a"), True)
    assert board.scores["score"][0].tolist() == [0, 1]
    plain = read_board(write(tmp_path / "p.csv", "candidate,public,private\na,1,1\nb,0,0\n"))
    assert (plain.names, plain.times, plain.in_time) == (("a", "b"), ("", ""), False)


@pytest.mark.parametrize(
    "texts",
    [
        ("2024.10.05 20:39", "2024.10.07 1:36"),
        ("2024년 10월 5일 오후 8:39", "2024년 10월 6일 오전 12:01"),
        ("Oct 5, 2024 8:39 PM", "6 October 2024"),
        ("10/05/2024", "10/13/2024"),
        ("05.10.2024 20:39", "13.10.2024 08:00"),
        ("2024-10-05T22:39:00+09:00", "2024-10-05T20:39:00Z"),
        ("20241005", "20241006"),
        ("1728160740", "1728160741"),
    ],
)
def test_dates_in_any_form_are_put_in_order(texts):
    times = times_of(texts)
    assert in_order(times)
    assert (times[0].year, times[0].month, times[0].day) == (2024, 10, 5)
    assert not in_order(times_of(texts[::-1]))


@pytest.mark.parametrize("texts", [("05/10/2024", "06/10/2024"), ("3h", "2 days"), ("s01", "s02")])
def test_what_could_be_two_days_or_none_is_no_time(texts):
    assert times_of(texts) is None
