"""What is wrong with a ranking or a metric is said before it becomes a number."""

import numpy as np
import pytest

from experiments.evaluation import evaluate
from experiments.metrics.preflight import tied_queries
from retrievers.ranking import Ranking

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}


def found(**results):
    return Ranking.from_lists(results, node_ids="abcd")


class Own:
    name = "own"
    higher_is_better = True

    def __init__(self, *scores):
        self.scores = scores

    def __call__(self, ranking, qrels):
        return np.array(self.scores)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ((1.0, np.inf), 'infinite score to query "q2"'),
        ((-np.inf, 1.0), 'infinite score to query "q1"'),
        ((1.0,), r"shape \(1,\) for 2 queries"),
        ((), r"shape \(0,\) for 2 queries"),
    ],
)
def test_scores_of_a_metric_of_your_own_that_no_mean_can_hold_are_refused(scores, said):
    with pytest.raises(ValueError, match=f"The metric own gave .*{said}"):
        evaluate(found(q1=["a"], q2=["b"]), QRELS, [Own(*scores), "map"])


def test_a_metric_of_your_own_may_leave_queries_out():
    scores = evaluate(found(q1=["a"], q2=["b"]), QRELS, [Own(0.5, np.nan), "map"])
    assert (scores.mean()["own"].mean, scores.mean()["own"].n_scored) == (0.5, 1)


@pytest.mark.parametrize(
    ("results", "tied"),
    [
        ([("a", 1.0), ("b", 1.0), ("c", 1.0)], 1),
        ([("b", 2.0), ("a", 1.0), ("c", 0.5)], 0),
        ([("a", 2.0), ("b", 1.0), ("c", 1.0)], 0),
        (["b", "a"], 0),
        ([], 0),
    ],
)
def test_ties_count_where_their_order_moves_a_metric(results, tied):
    ranking = found(q1=results, q2=[("a", 1.0), ("b", 1.0)])
    assert tied_queries(ranking, QRELS, ["q1"]) == tied
    assert tied_queries(ranking, QRELS, ["q1", "q2"]) == tied + 1
