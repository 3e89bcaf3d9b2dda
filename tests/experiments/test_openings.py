"""Each opening of a private half is one look, counted for good."""

from dataclasses import replace

import pytest

from experiments.ledger import OPENED, Ledger, LedgerEntry, ScoreRow
from experiments.openings import Question, count_opening, was_shown

HALF = ("a", "b")
ASKED = Question(trial="t", baseline="b", metric="map@3")


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.db")


def test_the_same_question_is_the_same_look_and_any_other_is_another(ledger):
    others = [replace(ASKED, **{part: "x"}) for part in ("trial", "baseline", "metric")]
    looks = [count_opening(ledger, "d", HALF, one) for one in [ASKED, *others, ASKED, others[1]]]
    assert [look.number for look in looks] == [1, 2, 3, 4, 1, 3]
    assert [look.again for look in looks] == [False] * 4 + [True] * 2


def test_another_seed_goes_on_counting_and_other_queries_or_datasets_do_not(ledger):
    count_opening(ledger, "d", HALF, ASKED)
    second = replace(ASKED, trial="u")
    assert count_opening(ledger, "d", ("b", "c"), ASKED).number == 2
    assert count_opening(ledger, "d", ("c",), second).number == 2  # "c" was looked at once
    assert count_opening(ledger, "d", ("x",), second).number == 1
    assert count_opening(ledger, "e", HALF, second).number == 1
    assert count_opening(ledger, "d", HALF, ASKED) == (1, True)


def test_a_new_process_goes_on_counting(tmp_path):
    assert count_opening(Ledger(tmp_path / "l.db"), "d", HALF, ASKED).number == 1
    other = replace(ASKED, trial="u")
    assert count_opening(Ledger(tmp_path / "l.db"), "d", HALF, other).number == 2


def test_openings_are_no_trials(ledger):
    count_opening(ledger, "d", HALF, ASKED)
    assert ledger.count("d") == 0


def test_a_trial_is_shown_by_any_score_of_these_queries_that_no_look_counted(ledger):
    row = ScoreRow("private", "map@3", HALF, [0.5, 1.0])
    for trial, side in (("shown", "private"), ("tuned", "public"), ("opened", OPENED)):
        entry = LedgerEntry(trial, (f"p{side}",), "retrieval", [row._replace(side=side)])
        ledger.record("d", [entry])

    def shown(trial, private=HALF, dataset="d"):
        return was_shown(ledger, dataset, trial=trial, private=private)

    assert shown("shown")
    assert shown("tuned")  # these were its public queries on another split
    assert shown("shown", private=("b", "c"))
    assert not shown("opened")
    assert not shown("other")
    assert not shown("shown", private=("c",))
    assert not shown("shown", dataset="e")
