"""Scores by label and by tag, held to means taken by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.chunkers import FixedTokens, WholeDocuments
from experiments.chunking import chunk
from experiments.label_slices import (
    COLUMNS,
    gold_labels,
    label_slices,
    review_notes,
    tag_slices,
)
from experiments.metrics.per_query import PerQuery
from experiments.schema import Dataset, Document, Query, Span
from experiments.splits import Split
from tests.experiments.reviewed_chunks import reviewed

SPLIT = Split(everyone=("a", "b", "c", "d"), public=("a", "b", "c"), private=("d",))


def scores(values, metrics=("map@3",), queries=("a", "b", "c", "d")):
    values = np.array(values, dtype=np.float64).reshape(len(queries), len(metrics))
    return PerQuery(tuple(queries), metrics, values, (True,) * len(metrics))


def row(frame, **wanted):
    """The one row with these values."""
    (found,) = frame[np.logical_and.reduce([frame[k] == v for k, v in wanted.items()])].to_dict(
        "records"
    )
    return found


def dataset(qrels=None, spans=None, texts=("one", "two", "three"), queries=("a", "b", "c", "d")):
    return Dataset(
        name="small",
        corpus=tuple(Document(f"d{i}", text) for i, text in enumerate(texts)),
        queries=tuple(Query(name, "?") for name in queries),
        qrels=qrels,
        fingerprint="",
        spans=spans,
    )


def test_a_slice_and_the_rest_with_how_many_queries_each_covers():
    gold = {"a": {"wrong", "mixed"}, "b": {"wrong"}, "d": {"good"}}
    frame = label_slices(scores([1.0, np.nan, 0.25, 0.5]), SPLIT, gold)
    assert tuple(frame.columns) == COLUMNS
    assert row(frame, slice="wrong", split="public") == {
        "by": "label",
        "slice": "wrong",
        "split": "public",
        "metric": "map@3",
        "mean": 1.0,
        "n_scored": 1,
        "n_total": 2,
        "rest_mean": 0.25,
        "rest_n_scored": 1,
        "rest_n_total": 1,
    }
    assert row(frame, slice="wrong", split="all")["rest_mean"] == 0.375
    assert not frame.isna().any(axis=None)


def test_slices_that_are_empty_or_everything_are_left_out():
    gold = {"a": {"x"}, "b": {"x"}, "c": {"x"}, "d": {"y"}}
    frame = label_slices(scores([1, 1, 0, 0]), SPLIT, gold)
    assert {(r["slice"], r["split"]) for _, r in frame.iterrows()} == {("x", "all"), ("y", "all")}
    assert len(label_slices(scores([1, 1, 0, 0]), SPLIT, {})) == 0


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, np.nan]), min_size=4, max_size=4),
    st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from("xyz"))),
)
def test_slice_and_rest_make_up_the_mean_of_the_split(values, gold):
    table = scores(values)
    for _, found in label_slices(table, SPLIT, gold).iterrows():
        whole = table.mean(SPLIT.of(found["split"]))["map@3"]
        assert found["n_scored"] + found["rest_n_scored"] == whole.n_scored
        assert found["n_total"] + found["rest_n_total"] == whole.n_total
        total = found["mean"] * found["n_scored"] + found["rest_mean"] * found["rest_n_scored"]
        assert total / whole.n_scored == pytest.approx(whole.mean)


def test_a_sealed_half_is_never_touched():
    sealed = Split(SPLIT.everyone, SPLIT.public, SPLIT.private, sealed=True)
    public = scores([1, 0, 0], queries=("a", "b", "c"))
    frame = label_slices(public, sealed, {"a": {"x"}, "d": {"x", "secret"}})
    assert set(frame["split"]) == {"public"}
    assert set(frame["slice"]) == {"x"}


def test_tags_slice_by_value_and_those_that_number_queries_do_not():
    queries = [Query(f"q{i}", "?", tags={"turns": str(1 + i % 2), "id": str(i)}) for i in range(40)]
    names = tuple(query.id for query in queries)
    split = Split(names, names, ())
    frame = tag_slices(scores(np.arange(40) % 2, queries=names), split, queries)
    assert set(frame["by"]) == {"turns"}
    assert row(frame, slice="2", split="public")["mean"] == 1.0
    assert row(frame, slice="1", split="public")["rest_n_scored"] == 20


def test_a_document_carries_the_labels_of_its_chunks(tmp_path):
    qrels = {"a": {"d0": 1, "d1": 0}, "b": {"d1": 2, "d2": 1}, "c": {"d2": 0}, "d": {"d2": 1}}
    path = reviewed(tmp_path, ("d0#0", "good"), ("d0#3", "mixed;good"), ("d1", "wrong"), ("d2", ""))
    assert gold_labels(path, dataset(qrels)) == {
        "a": {"good", "mixed"},
        "b": {"wrong"},
        "d": set(),
    }


def test_with_spans_the_chunks_that_hold_the_answer_count(tmp_path):
    texts = ("one two three four five six",)
    chunker = FixedTokens(chunk_size=2, chunk_overlap=0)
    chunks = chunk([Document("d0", texts[0])], chunker)
    assert len(chunks) == 3
    second = chunks[1].start_char_idx
    spans = {"a": [Span("d0", 0, second)], "b": [Span("d0", second, second + 3)], "c": []}
    path = reviewed(tmp_path, ("d0#0", "good"), ("d0#1", "wrong"))
    data = dataset({"a": {"d0": 1}}, spans, texts)
    assert gold_labels(path, data, chunker) == {"a": {"good"}, "b": {"wrong"}}
    with pytest.raises(ValueError, match=r'line 2: "d0#0" is no chunk here'):
        gold_labels(path, data, WholeDocuments())


@pytest.mark.parametrize("name", ["d9", "d0#", "d0#x", "d9#0", "#0"])
def test_a_chunk_of_another_corpus_is_refused_with_its_line(tmp_path, name):
    path = reviewed(tmp_path, ("d1", "good"), (name, "good"))
    with pytest.raises(ValueError, match=rf'labels.csv, line 3: "{name}" is no chunk here'):
        gold_labels(path, dataset({"a": {"d0": 1}}))


def test_a_dataset_without_relevance_has_nothing_to_slice(tmp_path):
    with pytest.raises(ValueError, match="small has no relevance labels"):
        gold_labels(reviewed(tmp_path, ("d0", "good")), dataset())


def test_the_note_says_how_many_queries_the_review_speaks_of():
    data = dataset({}, queries=("a", "b"))
    (note,) = review_notes("r.csv", data, {"bm25": {"a": {"good"}}})
    assert "1 of 2 queries have a reviewed gold passage; slices.tsv has their scores" in note
    (note,) = review_notes("r.csv", data, {"bm25": {}, "dense": {}})
    assert (
        note == "r.csv: 0 of 2 queries have a reviewed gold passage, so there is no slice by label."
    )
    assert review_notes(None, data, {}) == []
