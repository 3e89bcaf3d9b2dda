"""A candidate without a score is never taken for one that scores 0, which beats every logit."""

import numpy as np
import pytest
from llama_index.core.schema import NodeWithScore

from postprocessors.cross_encoder import CrossEncoder
from postprocessors.fuse import Fuse
from postprocessors.score_cutoff import ScoreCutoff
from postprocessors.selection import by_score
from tests.postprocessors.rankings import nodes_of, plans_of, ranking_of

TEXTS = ["a", "b", "c", "d"]


class Logits:
    def score_pairs(self, queries, texts):
        return np.array([-1.0 - TEXTS.index(text) for text in texts])


def test_it_stands_behind_those_of_negative_scores():
    ranking = ranking_of([[0, 1, 2]])
    assert by_score(ranking, np.array([[-1.0, np.nan, -3.0]])).ids(0) == ["d0", "d2", "d1"]


@pytest.mark.parametrize("normalise", ["zscore", "minmax", "rank", "none"])
def test_those_that_a_reranker_did_not_read_stay_behind_the_ones_it_did(normalise):
    part = CrossEncoder(scorer=Logits(), first=2)
    before = ranking_of([[1, 0, 3, 2]], np.zeros((1, 4)))
    after = part.postprocess_many(before, plans_of(["q"]), nodes_of(TEXTS))
    assert after.ids(0) == ["d0", "d1", "d3", "d2"]
    fused = Fuse(weights={"rerank": 1.0, "dense": 0.001}, normalise=normalise).postprocess_many(
        after, plans_of(["q"]), nodes_of(TEXTS)
    )
    assert fused.ids(0)[0] == "d0"


def test_none_stays_none_on_the_way_from_and_to_llama_index():
    nodes = [
        NodeWithScore(node=node, score=score)
        for node, score in zip(nodes_of(TEXTS), (-1.0, None, -3.0, -0.5), strict=True)
    ]
    kept = ScoreCutoff(at_least=-0.75, measure="score", keep=0).postprocess_nodes(nodes)
    assert [(one.node.node_id, one.score) for one in kept] == [("d1", None), ("d3", -0.5)]
