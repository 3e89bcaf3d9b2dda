"""Queries that a split keeps together: nearly equal texts, shared gold documents and spans."""

from __future__ import annotations

import random
import time

import pytest

from experiments.query_groups import kept_together, near_duplicates
from experiments.schema import Dataset, Document, Query, Span, Turn
from experiments.splits import RandomSplit
from tests.experiments.distinct_queries import WORDS, dataset, distinct


def grouped(groups):
    return sorted(rows for rows in groups if len(rows) > 1)


def test_equal_and_nearly_equal_questions_stay_together():
    queries = [
        Query("a", "What keeps the planets in their orbits around the sun?"),
        Query("b", "what keeps  the planets in their orbits around the Sun ?"),
        Query("c", "What keeps the planets in their orbit around the sun?"),
        Query("d", "What keeps the electrons near the nucleus of an atom?"),
        Query("e", "달의 중력이 밀물과 썰물을 일으키는 까닭은 무엇인가요?"),
        Query("f", "달의 중력이 밀물과 썰물을 일으키는 까닭은 무엇인가?"),
    ]
    assert grouped(near_duplicates(queries).members()) == [[0, 1, 2], [4, 5]]
    for seed in range(20):
        split = RandomSplit(seed=seed).divide(dataset(queries))
        sides = [query.id in split.public for query in queries]
        assert sides[0] == sides[1] == sides[2]
        assert sides[4] == sides[5]


def test_the_same_last_turn_after_another_history_is_another_question():
    after = [(Turn("user", text), Turn("assistant", "Yes.")) for text in ("Is iron heavy?", "물?")]
    queries = [Query(str(row), "Why is that so?", history) for row, history in enumerate(after)]
    assert grouped(near_duplicates(queries).members()) == []


def test_near_duplicates_are_those_of_the_plain_definition():
    draw = random.Random(3)
    stems = [draw.choices(WORDS, k=6) for _ in range(15)]
    queries = [
        Query(str(row), " ".join(draw.sample(words, 6) if row % 2 else words[: 4 + row % 3]))
        for row, words in enumerate(stems * 6)
    ]

    def grams(query):
        text = f" {query.text} "
        return {text[place : place + 3] for place in range(len(text) - 2)}

    expected = {row: {row} for row in range(len(queries))}
    for left in range(len(queries)):
        for right in range(left):
            a, b = grams(queries[left]), grams(queries[right])
            if len(a & b) >= 0.8 * len(a | b):
                merged = expected[left] | expected[right]
                expected.update((row, merged) for row in merged)
    assert any(len(rows) > 1 for rows in expected.values())
    wanted = sorted({tuple(sorted(rows)) for rows in expected.values()})
    assert sorted(map(tuple, near_duplicates(queries).members())) == wanted


@pytest.mark.slow
def test_ten_thousand_queries_are_grouped_in_seconds():
    draw = random.Random(0)
    queries = [Query(str(row), " ".join(draw.choices(WORDS, k=12))) for row in range(10_000)]
    start = time.perf_counter()
    near_duplicates(queries)
    assert time.perf_counter() - start < 20


def test_queries_that_share_gold_stay_together_while_groups_are_small():
    queries = distinct(40)
    shared = {"q0003": {"d": 1}, "q0004": {"d": 2, "e": 1}, "q0017": {"e": 1}, "q0018": {"e": 0}}
    groups, notes = kept_together(queries, dataset(queries, shared))
    assert grouped(groups) == [[3, 4, 17]]
    assert notes == ()


def test_too_large_a_group_of_shared_gold_is_given_up_and_said():
    queries = distinct(40)
    groups, notes = kept_together(queries, dataset(queries, {q.id: {"d": 1} for q in queries[:9]}))
    assert grouped(groups) == []
    assert "9 of 40 queries" in notes[0]


def test_queries_whose_gold_documents_are_copies_stay_together():
    queries = distinct(40)
    texts = {"a": "Water boils.", "b": "water  boils.", "c": "Ice melts."}
    qrels = {"q0001": {"a": 1}, "q0002": {"b": 1}, "q0003": {"c": 1}, "q0004": {"c": 0}}
    corpus = [Document(name, text) for name, text in texts.items()]
    groups, _ = kept_together(queries, Dataset("d", corpus, queries, qrels, "f" * 64))
    assert grouped(groups) == [[1, 2]]


def test_queries_whose_gold_spans_overlap_stay_together():
    queries = distinct(40)
    spans = {
        "q0001": [Span("d", 0, 50)],
        "q0002": [Span("d", 40, 60), Span("d", 90, 95)],
        "q0003": [Span("d", 60, 80)],
        "q0004": [Span("e", 0, 50)],
    }
    groups, _ = kept_together(queries, dataset(queries, None, spans))
    assert grouped(groups) == [[1, 2]]
