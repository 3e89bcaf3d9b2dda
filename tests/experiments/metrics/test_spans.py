"""Gold spans and the chunks that hold them, in characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.evaluation import evaluate_spans
from experiments.metrics.measures import parse
from experiments.metrics.spans import overlap, parse_span
from experiments.schema import Span
from retrievers.ranking import Ranking


def d(start, end, document="d"):
    return Span(document, start, end)


@pytest.mark.parametrize(
    ("chunks", "recall", "coverage", "precision", "iou"),
    [
        ([d(0, 100)], 1, 1, 0.2, 0.2),
        ([d(10, 30)], 1, 1, 1, 1),
        ([d(10, 20)], 1, 0.5, 1, 0.5),
        ([d(10, 19)], 0, 0.45, 1, 0.45),
        ([d(10, 15), d(25, 30)], 1, 0.5, 1, 0.5),
        ([d(10, 30), d(10, 30)], 1, 1, 0.5, 0.5),
        ([d(10, 30, "other")], 0, 0, 0, 0),
        ([], 0, 0, 0, 0),
        ([d(30, 40), d(0, 10)], 0, 0, 0, 0),
    ],
    ids=["whole", "exact", "half", "less", "pieces", "twice", "elsewhere", "empty", "touching"],
)
def test_one_span_of_twenty_characters(chunks, recall, coverage, precision, iou):
    for kind, expected in [
        ("span_recall", recall),
        ("span_coverage", coverage),
        ("span_precision", precision),
        ("span_iou", iou),
    ]:
        assert parse_span(f"{kind}@5").score(chunks, [d(10, 30)]) == pytest.approx(expected)


def test_each_span_counts_once_and_gold_characters_once():
    gold = [d(0, 10), d(5, 15), d(0, 10)]
    found = overlap([d(0, 10), d(0, 10)], gold)
    assert (found.spans, found.spans_hit, found.gold, found.held, found.read) == (2, 2, 15, 10, 20)


spans = st.builds(
    lambda name, start, size: Span(name, start, start + size),
    st.sampled_from("ab"),
    st.integers(0, 30),
    st.integers(1, 12),
)


@given(st.lists(spans, max_size=6), st.lists(spans, min_size=1, max_size=4))
def test_characters_are_counted_as_a_set_would(chunks, gold):
    def characters(parts):
        return {(part.document, place) for part in parts for place in range(part.start, part.end)}

    found = overlap(chunks, gold)
    assert found.gold == len(characters(gold))
    assert found.held == len(characters(gold) & characters(chunks))
    hit = [2 * len(characters([s]) & characters(chunks)) >= s.end - s.start for s in set(gold)]
    assert (found.spans, found.spans_hit) == (len(hit), sum(hit))


CHUNKS = {"d#0": d(0, 20), "d#1": d(20, 40), "e#0": d(0, 20, "e")}


def test_a_ranking_of_chunks():
    ranking = Ranking.from_lists({"q1": ["d#1", "d#0"], "q2": []}, node_ids=CHUNKS)
    scores = evaluate_spans(
        ranking,
        {"q1": [d(5, 15)], "q2": [d(0, 5, "lost")]},
        CHUNKS,
        ["span_recall@1", "span_recall@2"],
        queries=["q1", "q2", "q3"],
    )
    assert scores.values[:2].tolist() == [[0, 1], [0, 0]]
    assert scores.mean()["span_recall@2"] == type(scores.mean()["span_recall@2"])(0.5, 2, 3)
    assert scores.missing == 1


def test_rates_of_failure_are_lower_the_more_spans_are_hit():
    names = ["1-span_recall@1", "span_failure_rate@1"]
    ranking = Ranking.from_lists({"q1": ["d#1"], "q2": ["e#0"]}, node_ids=CHUNKS)
    gold = {"q1": [d(25, 35), d(0, 5)], "q2": [d(0, 5)]}
    queries = ["q1", "q2", "q3"]
    scores = evaluate_spans(ranking, gold, CHUNKS, names, queries=queries, empty_qrels="zero")
    assert scores.values.tolist() == [[0.5, 0], [1, 1], [1, 1]]
    assert scores.higher_is_better == (False, False)
    with pytest.raises(ValueError, match="use document metrics"):
        parse(names[0])


@pytest.mark.parametrize(
    ("gold", "chunks", "sentence"),
    [
        ([d(0, 5, "lost")], CHUNKS, "check that labels and corpus use the same ids"),
        ([d(5, 5)], CHUNKS, "from character 5 to 5"),
        ([d(0, 5)], {"d#0": d(0, 20)}, "have no place in a document"),
    ],
)
def test_labels_and_chunks_must_meet(gold, chunks, sentence):
    ranking = Ranking.from_lists({"q": ["d#1"]}, node_ids=CHUNKS)
    with pytest.raises(ValueError, match=sentence):
        evaluate_spans(ranking, {"q": gold}, chunks, ["span_iou@5"])
