"""One row a query, and means that say what they cover."""

import numpy as np
import pytest

from experiments.evaluation import Evaluator, evaluate
from experiments.schema import Mean
from retrievers.ranking import Ranking

QRELS = {"q1": {"a": 1}, "q2": {"b": 1, "gone": 1}, "q3": {"c": 0}}


def ranking(**results):
    return Ranking.from_lists(results, node_ids="abcxyz")


def test_every_query_of_the_evaluation_set_has_a_row():
    scores = evaluate(ranking(q1=["x", "a"]), QRELS, ["map@3", "mrr@3"], queries=["q2", "q3", "q1"])
    assert scores.query_ids == ("q2", "q3", "q1")
    np.testing.assert_array_equal(scores.values, [[0, 0], [np.nan, np.nan], [0.5, 0.5]])
    assert scores.mean()["map@3"] == Mean(0.25, 2, 3)
    assert scores.mean(["q1", "q3"])["map@3"] == Mean(0.5, 1, 2)
    assert scores.mean(["q3"])["map@3"] == Mean(None, 0, 1)


def test_by_default_the_set_is_all_that_ranking_or_labels_name():
    scores = evaluate(ranking(q9=["a"], q1=["a"]), QRELS, ["map_comp@3"])
    assert scores.query_ids == ("q9", "q1", "q2", "q3")
    # q9 speaks though nothing is relevant; q2 is missed; q3 is rightly silent.
    assert scores.column("map_comp@3").tolist() == [0, 1, 0, 1]


def test_a_query_without_relevant_documents_is_left_out_or_zero():
    found = ranking(q3=["c"], q1=["a"])
    metrics = ["map@3", "failure_rate@3", "judged@3", "map_comp@3"]
    skip = evaluate(found, QRELS, metrics, queries=["q3", "q1"])
    zero = evaluate(found, QRELS, metrics, queries=["q3", "q1"], empty_qrels="zero")
    np.testing.assert_array_equal(skip.values[0], [np.nan, np.nan, 1, 0])
    np.testing.assert_array_equal(zero.values[0], [0, 1, 1, 0])
    assert zero.mean()["map@3"] == Mean(0.5, 2, 2)


def test_what_a_reader_should_know_is_said():
    scores = evaluate(ranking(q1=["a"], q3=[]), QRELS, ["map"])
    assert scores.missing == 1
    assert [note.partition(":")[0] for note in scores.notes] == [
        "1 relevant labels are about no document of the corpus",
        "1 queries of the evaluation set have no result",
        "1 of 3 queries have an empty list",
        "1 queries have no relevant document",
    ]
    clean = evaluate(ranking(q1=["a"]), {"q1": {"a": 1}}, ["map"])
    assert clean.notes == ()


@pytest.mark.parametrize(("grade", "rel_level"), [(2, 5), (0, 1), (-2, 1)])
def test_labels_of_which_none_counts_are_spoken_of(grade, rel_level):
    labels = {"q1": {"a": grade}}
    note, *_ = evaluate(ranking(q1=["a"]), labels, "map", rel_level=rel_level).notes
    assert f"No label counts as relevant (rel_level={rel_level}, highest grade {grade})" in note
    assert ("nDCG" in note) == (grade > 0)


@pytest.mark.parametrize("grade", [0.9, float("nan"), float("inf"), None, "1", 10**30, [1]])
def test_a_grade_that_is_no_whole_number_is_refused(grade):
    labels = {"q1": {"a": 1, "b": grade}}
    with pytest.raises(ValueError, match=r'Query "q1" and document "b" have the grade .* give a'):
        evaluate(ranking(q1=["a"]), labels, "map")


@pytest.mark.parametrize("grade", [1, 1.0, True, np.int64(1), np.float32(1)])
def test_a_whole_grade_of_any_type_counts(grade):
    assert evaluate(ranking(q1=["a"]), {"q1": {"a": grade}}, "map").mean()["map"].mean == 1


@pytest.mark.parametrize(
    ("qrels", "options", "sentence"),
    [
        ({"q1": {"d9": 1}}, {}, "both of documents or both of chunks"),
        ({"other": {"a": 1}}, {}, "answers no labelled query"),
        ({"other": {"a": 1}}, {"queries": ["q1"]}, "give labels and queries the same ids"),
        (QRELS, {"queries": ["q1", "q1"]}, "stands twice in the evaluation set"),
        (QRELS, {"rel_level": 0}, "at least 1"),
        (QRELS, {"empty_qrels": "drop"}, "choose skip or zero"),
    ],
)
def test_a_mistake_is_one_sentence_and_not_a_score_of_zero(qrels, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        evaluate(ranking(q1=["a"]), qrels, ["map"], **options)


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        (["map", "map"], "named twice"),
        ([], "no metric is named"),
        ([3], '"3" is no metric'),
        (3, '"3" is no metric'),
        ([None], '"None" is no metric'),
    ],
)
def test_a_list_of_metrics_names_each_once(metrics, sentence):
    with pytest.raises(ValueError, match=sentence):
        evaluate(ranking(q1=["a"]), QRELS, metrics)


def test_a_run_that_found_nothing_is_scored():
    scores = evaluate(Ranking.from_lists({"q1": []}), {"q1": {"a": 1}}, ["map", "judged@3"])
    np.testing.assert_array_equal(scores.values, [[0, np.nan]])


def test_a_repeated_relevant_result_is_refused():
    twice = Ranking(("q1",), ("a", "b"), np.array([[1, 0, 0]], np.int32), np.zeros((1, 3)))
    with pytest.raises(ValueError, match='results of query "q1" hold "a" twice'):
        evaluate(twice, {"q1": {"a": 1}}, ["map"])


def test_scores_and_ties_are_never_read():
    tied = Ranking.from_lists({"q1": [("x", 1.0), ("a", 1.0)]}, node_ids="ax")
    upside_down = Ranking.from_lists({"q1": [("x", 0.1), ("a", 9.0)]}, node_ids="ax")
    for found in (tied, upside_down):
        values = evaluate(found, {"q1": {"a": 1}}, ["mrr", "mrr@10"]).values
        assert values.tolist() == [[0.5, 0.5]]


def test_the_difference_uses_the_queries_both_scored_in_any_order():
    labels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {}}
    ours = evaluate(ranking(q1=["a"], q2=["a"], q3=[]), labels, ["map"])
    baseline = evaluate(ranking(q3=[], q2=["a"], q1=["x", "a"]), labels, ["map"])
    compared = ours.difference(baseline, "map")
    assert (compared.mean, compared.wins, compared.ties, compared.n) == (0.25, 1, 1, 2)
    assert ours.difference(baseline, "map", ["q1"]).mean == 0.5


def test_a_metric_of_your_own_is_called_with_the_aligned_ranking():
    class Length:
        name = "length"
        higher_is_better = True

        def __call__(self, ranking, qrels):
            return ranking.lengths() * len(qrels)

    scores = evaluate(ranking(q1=["a", "b"]), QRELS, [Length(), "mrr"], queries=["q3", "q1"])
    assert scores.column("length").tolist() == [0, 6]


def test_the_table_as_a_frame():
    frame = evaluate(ranking(q1=["a"]), QRELS, ["map", "mrr"]).frame()
    assert frame.index.name == "query"
    assert frame.loc["q1", "mrr"] == 1.0


def test_unknown_columns_and_queries_are_named():
    scores = evaluate(ranking(q1=["a"]), QRELS, ["map"])
    with pytest.raises(ValueError, match="there are map"):
        scores.column("mrr")
    with pytest.raises(ValueError, match='such as "q7"'):
        scores.mean(["q7"])


def test_one_metric_may_stand_without_a_list():
    evaluator = Evaluator("ndcg@10")
    evaluator.check()
    assert evaluator.evaluate(ranking(q1=["a"]), QRELS, ["q1"]).metrics == ("ndcg@10",)
    assert evaluate(ranking(q1=["a"]), QRELS, "map@3").metrics == ("map@3",)
    with pytest.raises(ValueError, match="no metric is named"):
        Evaluator(None).check()


@pytest.mark.parametrize("spans", [False, True])
def test_a_metric_that_reads_deeper_than_the_ranking_goes_is_refused(spans):
    kind = "span_recall" if spans else "recall"
    evaluator = Evaluator([f"{kind}@10", f"{kind}@1000", f"{kind}@200"])
    with pytest.raises(ValueError, match=rf"{kind}@1000 .* depth is 100: add depth=1000\."):
        evaluator.check(spans=spans, depth=100)
    evaluator.check(spans=spans, depth=1000)
    Evaluator("map").check(depth=1)


def test_an_evaluator_says_at_once_what_is_wrong_with_its_names():
    Evaluator(["map@3"]).check()
    with pytest.raises(ValueError, match="is no metric"):
        Evaluator(["mop@3"]).check()
    with pytest.raises(ValueError, match="labelled by characters"):
        Evaluator(["map@3"]).check(spans=True)
    with pytest.raises(ValueError, match="choose skip or zero"):
        Evaluator(["map@3"], empty_qrels="no").check()
    found = ranking(q1=["x", "a"])
    evaluator = Evaluator(["map@3"], rel_level=2)
    assert evaluator.evaluate(found, {"q1": {"a": 1}}, ["q1"]).mean()["map@3"].mean is None
