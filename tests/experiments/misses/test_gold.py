"""Pairs of query and gold passage, by hand."""

import numpy as np
import pytest

from experiments.misses.gold import document_misses, document_values, span_misses
from experiments.schema import Span
from retrievers.ranking import Ranking

RANKING = Ranking.from_lists({"a": ["d1", "d2"], "b": ["d3"], "c": []}, ["d1", "d2", "d3", "d4"])


def pairs(gold):
    rows = zip(gold.queries, gold.passages, gold.missed, strict=True)
    return [(gold.query_ids[q], int(p), bool(m)) for q, p, m in rows]


def test_a_document_beyond_the_depth_is_missed_and_one_without_chunk_is_counted():
    qrels = {"a": {"d1": 1, "d2": 2, "d3": 0}, "b": {"d9": 1}, "c": {"d4": 1}}
    gold = document_misses(RANKING, qrels, ["d1", "d2", "d3", "d4"], k=1)
    assert pairs(gold) == [("a", 0, False), ("a", 1, True), ("c", 3, True)]
    assert gold.lost == 1
    assert gold.query_ids == ("a", "c")
    assert pairs(
        document_misses(RANKING, qrels, ["d2", "d1"], k=2, rel_level=2, queries=["a"])
    ) == [("a", 0, False)]


def test_a_query_that_the_ranking_lacks_misses_its_passages():
    gold = document_misses(RANKING, {"z": {"d1": 1}}, ["d1"], k=5, queries=["z"])
    assert pairs(gold) == [("z", 0, True)]


def test_a_span_stands_for_the_chunk_that_holds_most_of_it():
    chunks = {
        "x#0": Span("x", 0, 10),
        "x#1": Span("x", 10, 20),
        "y#0": Span("y", 0, 10),
        "x#2": Span("x", 20, 30),
    }
    spans = {
        "a": [Span("x", 8, 16), Span("x", 0, 4), Span("x", 0, 4)],
        "b": [Span("x", 8, 12), Span("y", 40, 50), Span("w", 0, 5)],
    }
    ranking = Ranking.from_lists({"a": ["x#1", "x#0"], "b": ["y#0", "x#0"]}, list(chunks))
    gold = span_misses(ranking, spans, chunks, k=1)
    assert pairs(gold) == [("a", 1, False), ("a", 0, True), ("b", 0, True)]
    assert gold.lost == 2
    assert gold.documents.tolist() == [0, 0, 1, 0]
    assert not span_misses(ranking, spans, chunks, k=2).missed.any()


def test_values_of_chunks_become_those_of_documents():
    values, owners = [1.0, 3.0, np.nan, np.nan, -2.0], [0, 0, 0, 1, 3]
    for of, first in {"mean": 2.0, "lowest": 1.0, "highest": 3.0}.items():
        found = document_values(values, owners, 4, of=of)
        np.testing.assert_array_equal(found, [first, np.nan, np.nan, -2.0])
    with pytest.raises(ValueError, match="choose mean, lowest, highest"):
        document_values(values, owners, 4, of="best")


def test_a_depth_below_one_is_refused():
    with pytest.raises(ValueError, match="k is 0"):
        document_misses(RANKING, {}, [], k=0)
    with pytest.raises(ValueError, match="k is 0"):
        span_misses(RANKING, {}, {}, k=0)
