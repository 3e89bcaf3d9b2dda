"""What a metric of answers reads of a run."""

import numpy as np
import pytest

from experiments.metrics.per_query import PerQuery
from experiments.rag.answer_rows import answer_rows, score_visible
from experiments.schema import Dataset, Document, Query, Span
from generation.answers import Answer
from generation.context import ContextAssembler
from generation.evidence import Evidence


def rows(*said, order=None, **changes):
    assembler = ContextAssembler()
    found = [Evidence(f"c{n}", f"d{n}", f"text {n}", n) for n in range(3)]
    prompts = [
        assembler.assemble(f"q{n}", "?", assembler.choose(found), order=order)
        for n in range(len(said))
    ]
    value = {
        "name": "set",
        "corpus": [Document(f"d{n}", f"document {n}") for n in range(3)],
        "queries": [Query(f"q{n}", f"question {n}", answer="right") for n in range(len(said))],
        "qrels": {"q0": {"d2": 2, "d0": 1, "gone": 1, "d1": 0}},
        "fingerprint": "f",
    }
    return answer_rows(Dataset(**{**value, **changes}), prompts, [Answer(one) for one in said])


def test_the_passages_stand_in_both_orders():
    (row,) = rows("x", order=[2, 0, 1])
    assert row.texts("prompt") == ["text 2", "text 0", "text 1"]
    assert row.texts("ranking") == ["text 0", "text 1", "text 2"]
    assert row.context_ids == ("d2", "d0", "d1")


def test_needed_documents_are_those_with_a_grade_and_their_texts_those_there_are():
    first, second = rows("x", "y")
    assert first.reference_ids == ("d0", "d2", "gone")
    assert first.reference_contexts == ("document 0", "document 2")
    assert (second.reference_ids, second.reference_contexts) == ((), ())


def test_gold_spans_are_the_needed_texts():
    spans = {"q0": [Span("d1", 0, 3), Span("d1", 4, 10)]}
    (row,) = rows("x", qrels=None, spans=spans)
    assert row.reference_ids == ("d1",)
    assert row.reference_contexts == ("doc", "ment 1")


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("서울 [1].", "서울 ."),
        ("[2] Seoul [1, 3]", "Seoul"),
        ("two\n  lines", "two\n  lines"),
        ("lone \ud800", "lone ?"),
        ("", ""),
        (None, None),
    ],
)
def test_an_answer_is_read_without_citations_and_a_failed_one_is_none(said, read):
    assert rows(said)[0].answer == read


def test_a_blank_reference_is_none():
    (row,) = rows("x", queries=[Query("q0", "?", answer=" \n")])
    assert row.reference is None


def test_hidden_queries_are_handed_to_no_metric():
    class Length:
        def score(self, rows):
            self.seen = [row.id for row in rows]
            values = np.array([[float(len(row.answer))] for row in rows]).reshape(-1, 1)
            ids = tuple(self.seen)
            return PerQuery(ids, metrics=("length",), values=values, higher_is_better=(True,))

    metric = Length()
    scores = score_visible(metric, rows("a", "bb", "ccc"), {"q0", "q2"})
    assert metric.seen == ["q0", "q2"]
    assert scores.query_ids == ("q0", "q1", "q2")
    assert np.array_equal(scores.column("length"), [1, np.nan, 3], equal_nan=True)
    assert np.isnan(score_visible(metric, rows("a"), set()).values).all()
