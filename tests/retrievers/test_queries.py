"""What is searched for, and what is searched."""

from __future__ import annotations

from llama_index.core.schema import TextNode

from experiments.schema import Query, Turn
from retrievers.base import indexed_text
from retrievers.enrich import NoEnrichment, TitlePrefix
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


def test_titles_are_searched_and_other_metadata_is_not() -> None:
    nodes = [
        TextNode(id_="a", text="Body.", metadata={"title": "Title", "source": "x"}),
        TextNode(id_="b", text="Body.", metadata={"title": ""}),
        TextNode(id_="c", text="Body."),
    ]
    before = [node.model_dump() for node in nodes]
    assert [indexed_text(node) for node in TitlePrefix().enrich(nodes)] == [
        "Title\nBody.",
        "Body.",
        "Body.",
    ]
    assert [indexed_text(node) for node in NoEnrichment().enrich(nodes)] == ["Body."] * 3
    assert [node.node_id for node in TitlePrefix().enrich(nodes)] == ["a", "b", "c"]
    assert [node.model_dump() for node in nodes] == before
