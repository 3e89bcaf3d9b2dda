"""All candidates are scored, each pair once, and the scores become a part."""

import numpy as np
import pytest

from postprocessors.cross_encoder import CrossEncoder
from tests.postprocessors.rankings import nodes_of, plans_of, ranking_of

TEXTS = ["a", "bb", "ccc", "dddd", "bb"]


class Longest:
    """Scores a pair by the length of its passage."""

    def __init__(self):
        self.calls = []

    def score_pairs(self, queries, texts):
        self.calls.append([*zip(queries, texts, strict=True)])
        return np.array([float(len(text)) for text in texts])


def test_every_candidate_is_scored_in_one_call_and_ties_stand_in_corpus_order():
    scorer = Longest()
    before = ranking_of([[4, 0, 1], [2, 3]])
    after = CrossEncoder(scorer=scorer).postprocess_many(
        before, plans_of(["p", "q"]), nodes_of(TEXTS)
    )
    assert after.by_query() == {"0": ["d1", "d4", "d0"], "1": ["d3", "d2"]}
    assert len(scorer.calls) == 1
    assert sorted(scorer.calls[0]) == [
        ("p", "a"),
        ("p", "bb"),
        ("p", "bb"),
        ("q", "ccc"),
        ("q", "dddd"),
    ]
    np.testing.assert_array_equal(after.parts["rerank"], after.scores)
    assert after.scores[0].tolist() == [2.0, 2.0, 1.0]


def test_those_behind_the_first_follow_as_they_were_without_a_score():
    part = CrossEncoder(scorer=Longest(), first=2)
    after = part.postprocess_many(ranking_of([[0, 1, 3, 2]]), plans_of(["p"]), nodes_of(TEXTS))
    assert after.ids(0) == ["d1", "d0", "d3", "d2"]
    np.testing.assert_array_equal(after.parts["rerank"], [[2.0, 1.0, np.nan, np.nan]])


def test_a_fitted_scorer_sees_the_whole_corpus():
    class Fitted(Longest):
        def fit(self, texts):
            self.seen = texts

    scorer = Fitted()
    CrossEncoder(scorer=scorer).postprocess_many(
        ranking_of([[0]]), plans_of(["p"]), nodes_of(TEXTS)
    )
    assert scorer.seen == TEXTS


@pytest.mark.parametrize(
    ("scores", "fault"),
    [([1.0], "shape"), ([[1.0, 2.0]], "one number a pair"), ([1.0, np.nan], "finite")],
)
def test_scores_that_are_none_are_refused(scores, fault):
    class Broken:
        def score_pairs(self, queries, texts):
            return np.array(scores)

    with pytest.raises(ValueError, match=fault):
        CrossEncoder(scorer=Broken()).postprocess_many(
            ranking_of([[0, 1]]), plans_of(["p"]), nodes_of(TEXTS)
        )


def test_a_part_of_that_name_is_not_written_over():
    with pytest.raises(ValueError, match="another step gave"):
        CrossEncoder(scorer=Longest(), part="dense").postprocess_many(
            ranking_of([[0]]), plans_of(["p"]), nodes_of(TEXTS)
        )
