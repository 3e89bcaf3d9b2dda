"""A name is a metric or a sentence that helps."""

import pytest

from experiments.metrics.measures import parse
from experiments.metrics.spans import parse_span
from retrievers.ranking import Ranking

DOCUMENT_NAMES = ["map@3", "mrr@100", "ndcg@10", "recall@1", "precision@3", "hit_rate@10",
                  "judged@10", "failure_rate@20", "1-recall@20", "map_comp@3", "mrr_comp@3", "map",
                  "mrr", "ndcg"]  # fmt: skip
LOWER_IS_BETTER = {"failure_rate@20", "1-recall@20"}


@pytest.mark.parametrize("name", DOCUMENT_NAMES)
def test_a_name_survives_and_has_a_source(name):
    measure = parse(name)
    assert measure.name == name
    assert measure.source
    assert measure.higher_is_better is (name not in LOWER_IS_BETTER)
    assert measure == parse(name)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("recal@10", "nearest are recall@k"),
        ("NDCG@10", "nearest are ndcg@k"),
        ("bleu", "there are map@k"),
        ("recall", "write for example recall@10"),
        ("ndcg@", "needs a depth"),
        ("ndcg@0", "needs a depth"),
        ("ndcg@-3", "needs a depth"),
        ("ndcg@1.5", "needs a depth"),
        ("ndcg@²", "needs a depth"),
        ("map_comp@10", "write map_comp@3"),
        ("map_comp", "write map_comp@3"),
        ("span_recall@5", "labelled by documents"),
    ],
)
def test_a_wrong_name_is_one_sentence(name, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse(name)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("map@3", "depends on the chunker"),
        ("ndcg@10", "depends on the chunker"),
        ("span_recal@3", "nearest are span_recall@k"),
        ("span_iou", "needs a depth"),
    ],
)
def test_a_wrong_span_name_is_one_sentence(name, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse_span(name)


def test_a_measure_is_called_with_a_ranking_and_qrels():
    ranking = Ranking.from_lists({"q2": ["x", "a"], "q1": ["a"]})
    assert parse("mrr")(ranking, {"q1": {"a": 1}, "q2": {"a": 2}}).tolist() == [0.5, 1.0]
