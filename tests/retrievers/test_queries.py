"""What is searched for, from a message and the turns before it."""

from __future__ import annotations

from experiments.schema import Query, Turn
from retrievers.queries import AllUserTurns, LastTurn
from retrievers.ranking import EVERY_PART

QUERIES = [
    Query("a", "Why?", (Turn("user", "Is water wet?"), Turn("assistant", "Yes."))),
    Query("b", "Why?", (Turn("user", "Is the sun hot?"), Turn("assistant", "Yes."))),
    Query("c", "What is light?"),
]


def test_the_last_turn_alone() -> None:
    plans = LastTurn().plan(QUERIES)
    assert [plan.id for plan in plans] == ["a", "b", "c"]
    assert [plan.texts[EVERY_PART] for plan in plans] == [("Why?",), ("Why?",), ("What is light?",)]


def test_all_user_turns_tell_equal_last_turns_apart() -> None:
    texts = [plan.texts[EVERY_PART] for plan in AllUserTurns().plan(QUERIES)]
    assert texts == [("Is water wet?\nWhy?",), ("Is the sun hot?\nWhy?",), ("What is light?",)]
