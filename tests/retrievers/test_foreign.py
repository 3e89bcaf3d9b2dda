"""A retriever of LlamaIndex is a part like any other, matched by node id."""

import functools

import numpy as np
import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from experiments.identity import describe
from retrievers.bm25 import BM25Retriever
from retrievers.foreign import ForeignRetriever
from retrievers.fusion import Hybrid
from retrievers.ranking import EVERY_PART, QueryPlan

TEXTS = ["sun and moon", "sea", "sun", "star"]


class Containing(BaseRetriever):
    """The nodes that hold the query, last one first, each twice."""

    def __init__(self, nodes, scored=True):
        super().__init__()
        self.nodes, self.scored, self.similarity_top_k = nodes, scored, 1

    def _retrieve(self, query_bundle):
        found = [node for node in self.nodes if query_bundle.query_str in node.text][::-1]
        found = found[: self.similarity_top_k]
        score = (lambda place: 1.0 / (place + 1)) if self.scored else (lambda place: None)
        return [NodeWithScore(node=n, score=score(i)) for i, n in enumerate(found)] + [
            NodeWithScore(node=n, score=0.0) for n in found[:1]
        ]


def built(retriever):
    retriever.build([TextNode(id_=f"d{i}", text=text) for i, text in enumerate(TEXTS)])
    return retriever


def asked(retriever, *texts, depth=4):
    plans = [QueryPlan(str(i), {EVERY_PART: (text,)}) for i, text in enumerate(texts)]
    return retriever.retrieve_many(plans, depth)


def test_its_results_stand_in_its_order_each_once_and_a_blank_query_has_none():
    ranking = asked(built(ForeignRetriever(Containing)), "sun", "", "zzz")
    assert ranking.by_query() == {"0": ["d2", "d0"], "1": [], "2": []}
    assert ranking.scores[0].tolist() == [1.0, 0.5]


def test_it_is_asked_for_as_many_as_are_wanted():
    assert asked(built(ForeignRetriever(Containing)), "s", depth=2).ids(0) == ["d3", "d2"]


def test_one_without_scores_can_be_fused_by_rank():
    theirs = ForeignRetriever(functools.partial(Containing, scored=False))
    parts = {"theirs": theirs, "bm25": BM25Retriever("unicode")}
    ranking = asked(built(Hybrid(parts, normalise="rank")), "sun")
    assert ranking.ids(0)[0] == "d2"
    assert np.isnan(asked(built(theirs), "sun").scores).all()


def test_a_node_it_was_not_given_is_a_mistake():
    strangers = [TextNode(id_="stranger", text="sun")]
    with pytest.raises(ValueError, match="returned the node 'stranger', which it was not given"):
        asked(built(ForeignRetriever(lambda nodes: Containing(strangers))), "sun")


def test_a_loaded_one_is_made_anew(tmp_path):
    first = built(ForeignRetriever(Containing))
    first.save(tmp_path)
    again = ForeignRetriever(Containing)
    again.attach(first.nodes)
    again.load(tmp_path)
    assert asked(again, "sun").ids(0) == ["d2", "d0"]


def test_results_are_kept_under_a_version_alone():
    def told(**options):
        return describe(ForeignRetriever(functools.partial(Containing, scored=True), **options))

    assert told(version="1") == told(version="1")
    assert told(version="1") != told(version="2")
    assert told() != told()
    other = functools.partial(Containing, scored=False)
    assert told(version="1") != describe(ForeignRetriever(other, version="1"))


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([0.0, 0.0], []),
        ([2.0, 0.0, 0.0], ["d0"]),
        ([0.0, 1.5, 3.0], ["d0", "d1", "d2"]),  # distances: the nearest scores 0
        ([0.5, -0.5], ["d0", "d1"]),
        ([None, None], ["d0", "d1"]),
    ],
)
def test_what_fills_a_list_up_with_scores_of_0_is_no_match(scores, kept):
    class Filling(BaseRetriever):
        def __init__(self, nodes):
            super().__init__()
            self.nodes = nodes

        def _retrieve(self, query_bundle):
            pairs = zip(self.nodes, scores, strict=False)
            return [NodeWithScore(node=node, score=score) for node, score in pairs]

    assert asked(built(ForeignRetriever(Filling)), "zzz").ids(0) == kept
