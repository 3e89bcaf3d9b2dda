"""Each opening of a private half is one look, counted for good."""

from dataclasses import replace

import pytest

from experiments.ledger import Ledger, LedgerEntry, ScoreRow
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


def test_another_half_or_dataset_counts_by_itself(ledger):
    count_opening(ledger, "d", HALF, ASKED)
    second = replace(ASKED, trial="u")
    assert count_opening(ledger, "d", ("a",), second).number == 1
    assert count_opening(ledger, "e", HALF, second).number == 1
    assert count_opening(ledger, "d", HALF, second).number == 2


def test_a_new_process_goes_on_counting(tmp_path):
    assert count_opening(Ledger(tmp_path / "l.db"), "d", HALF, ASKED).number == 1
    other = replace(ASKED, trial="u")
    assert count_opening(Ledger(tmp_path / "l.db"), "d", HALF, other).number == 2


def test_openings_are_no_trials(ledger):
    count_opening(ledger, "d", HALF, ASKED)
    assert ledger.count("d") == 0


def test_a_trial_with_private_rows_over_this_half_was_shown(ledger):
    row = ScoreRow("private", "map@3", HALF, [0.5, 1.0])
    ledger.record("d", [LedgerEntry("t", ("p",), "retrieval", [row])])
    ledger.record("d", [LedgerEntry("u", ("p",), "retrieval", [row._replace(side="public")])])

    def shown(trial="t", private=HALF, dataset="d"):
        return was_shown(ledger, dataset, trial=trial, public=("p",), private=private)

    assert shown()
    assert not shown(trial="u")
    assert not shown(private=("a",))
    assert not shown(dataset="e")
