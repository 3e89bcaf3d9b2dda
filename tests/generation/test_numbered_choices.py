"""The order that a model gives to numbered candidates: read, repaired, never losing one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.numbered_choices import read_order


@pytest.mark.parametrize(
    "text",
    [
        "3, 1",
        "3,1",
        "3 > 1",
        "[3] > [1]",
        "[3, 1]",
        '["3", "1"]',
        '["Doc 3", "Doc 1"]',
        '{"ranking": [3, 1]}',
        '[{"doc": 3, "score": 9}, {"doc": 1, "score": 2}]',
        "Doc: 3, Relevance: 9\nDoc: 1, Relevance: 4",
        "**Doc: 3**\n**Doc: 1**",
        "Documents: 3, 1",
        "1. Doc 3\n2. Doc 1",
        "1. 3\n2. 1",
        "3\n1",
        "The best 2 are 3, 1.",
        "Answer: 3, 1",
        "문서 3, 문서 1",
        "답: 3, 1",
        "[3] (0.95) > [1] (0.4)",
        "```json\n[3, 1]\n```",
        "Passage 3 answers it in 2 ways; passage 1 less so.",
    ],
)
def test_the_ways_models_write_a_choice(text) -> None:
    order = read_order(text, 4)
    assert order.positions == (2, 0, 1, 3)
    assert (order.chosen, order.unknown, order.repeated, order.unreadable) == (2, 0, 0, False)


@pytest.mark.parametrize(
    ("text", "positions", "unknown", "repeated"),
    [
        ("Doc: 0, Relevance: 9", (0, 1, 2), 1, 0),
        ("Doc: -2", (0, 1, 2), 1, 0),
        ("0, -2, 2", (1, 0, 2), 2, 0),
        ("7, 3", (2, 0, 1), 1, 0),
        ("2, 2, 1, 2", (1, 0, 2), 0, 2),
        ("[2, 99999999999999999999]", (1, 0, 2), 1, 0),
        ("2", (1, 0, 2), 0, 0),
    ],
)
def test_numbers_outside_or_again_are_counted_and_the_rest_stays_in_order(
    text, positions, unknown, repeated
) -> None:
    order = read_order(text, 3)
    assert order.positions == positions
    assert (order.unknown, order.repeated, order.unreadable) == (unknown, repeated, False)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "none of them",
        "There are 3 passages and none fits.",
        "Relevance: high",
        "I cannot rank 2 of the 3 passages.",
        "[]",
        "{}",
    ],
)
def test_what_is_no_choice_keeps_the_incoming_order(text) -> None:
    order = read_order(text, 3)
    assert order.positions == (0, 1, 2)
    assert order.unreadable
    assert order.chosen == 0


@given(st.one_of(st.text(), st.text(alphabet="0123456789-,[]{}>:\n Doc*")), st.integers(0, 8))
def test_every_answer_gives_a_permutation(text, count) -> None:
    assert sorted(read_order(text, count).positions) == list(range(count))


@given(st.permutations(range(6)), st.sampled_from([", ", " > ", "\n", "; "]))
def test_a_whole_ranking_is_read_back(order, between) -> None:
    text = between.join(str(position + 1) for position in order)
    assert read_order(text, 6).positions == tuple(order)
