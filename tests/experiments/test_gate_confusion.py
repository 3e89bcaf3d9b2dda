"""What a gate blocked, against what labels and tags say there is to find."""

from __future__ import annotations

from experiments.gate_confusion import Confusion, confusion
from experiments.schema import Dataset, Document, Query, Span

QUERIES = [
    Query("a", "?"),
    Query("b", "?"),
    Query("c", "?"),
    Query("d", "hi", tags={"kind": "Chat"}),
]
DOCUMENTS = [Document("x", "text")]


def table(blocked, judged="abcd", *, qrels=None, spans=None, queries=QUERIES) -> Confusion | None:
    dataset = Dataset("s", DOCUMENTS, queries, qrels, fingerprint="s", spans=spans)
    return confusion(dataset, list(blocked), list(judged))


def test_queries_without_gold_and_tagged_ones_should_be_blocked() -> None:
    qrels = {"a": {"x": 1}, "b": {"x": 0}, "d": {"x": 1}}
    found = table("ab", qrels=qrels)
    assert found == Confusion(1, 1, 0, 2)
    assert (found.precision, found.recall) == (1 / 2, 1 / 3)
    assert found.numbers()["recall"] == 1 / 3
    assert (
        "blocked 1 of 3 queries with nothing to find (recall 0.333) and 1 of 1" in found.sentence()
    )


def test_only_what_may_be_shown_is_counted_and_spans_are_labels_too() -> None:
    assert table("ab", "ac", qrels={"a": {"x": 1}}) == Confusion(0, 1, 0, 1)
    assert table("c", "abc", spans={"a": [Span("x", 0, 1)], "b": []}) == Confusion(1, 0, 1, 1)


def test_what_is_not_known_is_left_out_of_the_numbers() -> None:
    nothing = table("", "ab", qrels={"a": {"x": 1}, "b": {"x": 1}})
    assert (nothing.precision, nothing.recall) == (None, None)
    assert not {"precision", "recall"} & nothing.numbers().keys()
    assert table("a", queries=QUERIES[:3]) is None
    assert table("d") == Confusion(1, 0, 3, 0)


def test_where_every_query_has_a_passage_there_is_no_recall_to_tell():
    assert Confusion(0, 2, 8, 0).sentence() == "gate: blocked 2 of 10 queries; all have a passage."
