"""What people read of a sweep, and the file that must not change after a crash."""

import io

import pytest
from rich.console import Console

from experiments.sweeps.table import BEST, line, trial_table, write_trials
from experiments.sweeps.trial import Ending, best


def ending(number, public=None, private=None, **changes):
    scores = {} if public is None else {"public": {"map@3": public}}
    if private is not None:
        scores["private"] = {"map@3": private}
    values = {
        "number": number,
        "name": f"k1={number}",
        "values": {"retriever.k1": str(number)},
        "state": "run",
        "seconds": 1.5,
        "metric": "map@3" if scores else None,
        "scores": scores,
    }
    return Ending(**{**values, **changes})


def printed(trials, rows=None):
    return [text for text in shown(trial_table(trials, rows)).split("\n") if "k1=" in text]


def shown(table):
    out = Console(width=100, file=io.StringIO())
    out.print(table)
    return out.file.getvalue()


TRIALS = [
    ending(0, 0.5, 0.9),
    ending(1, 0.75, 0.25),
    ending(2, state="failed", reason="no"),
    ending(3, 0.75, 0.5, state="stored"),
]


def test_the_best_public_score_is_marked_once_the_earliest_of_equals():
    rows = printed(TRIALS)
    assert [BEST in row for row in rows] == [False, True, False, False]
    assert "failed" in rows[2]
    assert "stored" in rows[3]


def test_smaller_is_marked_where_smaller_is_better():
    rows = printed(
        [ending(0, 0.5, higher_is_better=False), ending(1, 0.25, higher_is_better=False)]
    )
    assert [BEST in row for row in rows] == [False, True]


@pytest.mark.parametrize("option", ["dataset.path", "split.seed", "metrics", "dataset"])
def test_no_best_among_trials_that_were_measured_otherwise(option):
    trials = [ending(n, 0.5 + n / 10, values={option: str(n)}) for n in range(2)]
    assert best(trials) is None
    assert BEST not in shown(trial_table(trials))
    assert best([ending(n, 0.5, values={option: "same"}) for n in range(2)]).number == 0


def test_different_first_metrics_are_named_and_never_ranked():
    other = {"metric": "mrr@10", "scores": {"public": {"mrr@10": 0.9}}}
    trials = [ending(0, 0.5, 0.25), ending(1, **other)]
    assert best(trials) is None
    rows = printed(trials)
    assert "map@3 0.5000" in rows[0]
    assert "map@3 0.2500" in rows[0]
    assert "mrr@10 0.9000" in rows[1]


def test_a_private_score_is_shown_though_the_first_trial_is_sealed():
    assert "private" in shown(trial_table([ending(0, 0.5), ending(1, 0.5, 0.25)]))


def test_in_a_narrow_terminal_each_row_of_the_live_table_is_one_line():
    long = [ending(n, 0.5, 0.5, name=f"k1={n} " + "analyzer=unicode " * 3) for n in range(5)]
    out = Console(width=50, file=io.StringIO())
    out.print(trial_table(long, rows=4, one_line=True))
    lines = out.file.getvalue().strip().split("\n")
    assert len(lines) == 4 + 5
    assert all(len(line) <= 50 for line in lines)
    assert "★" in "".join(lines)


def test_a_long_sweep_shows_the_latest_and_the_best():
    rows = printed(TRIALS, rows=2)
    assert ["k1=1" in rows[0], "k1=3" in rows[1]] == [True, True]


def test_a_sealed_private_half_has_no_column():
    assert "private" not in shown(trial_table([ending(0, 0.5)]))
    assert "private" not in line(ending(0, 0.5), 1, 2, True)


def test_a_piped_line_says_why_a_trial_failed():
    assert line(TRIALS[2], 3, 4, False) == "3/4  k1=2  1.50 s  failed  no"


def test_the_file_knows_neither_time_nor_what_was_stored_before(tmp_path):
    write_trials(tmp_path / "a.json", [ending(0, 0.5), ending(1, state="failed", reason="no")])
    other = [ending(0, 0.5, state="stored", seconds=0.1)]
    write_trials(tmp_path / "b.json", [*other, ending(1, state="failed", reason="no", seconds=9.0)])
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
