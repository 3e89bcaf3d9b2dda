"""The places the kernel counts are those of the ranking that `Hybrid` makes, ties and all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from experiments.candidates import document_ranking, document_rows
from experiments.fusion.kernel import FusionKernel
from experiments.metrics.measures import parse
from experiments.metrics.relevance import Labels
from retrievers.base import BatchRetriever
from retrievers.fusion import Hybrid
from retrievers.ranking import EVERY_PART, QueryPlan, best_first

MEASURES = [parse(name) for name in ("map@3", "mrr@3", "ndcg@10", "map", "map_comp@3", "recall@5")]
NODES, QUERIES = 12, 4


class Fixed(BatchRetriever):
    """Gives the results it was made with."""

    def __init__(self, scores):
        super().__init__("fixed")
        self.scores = scores

    def index(self, texts): ...

    def save(self, folder): ...

    def load(self, folder): ...

    def search(self, texts, depth):
        return best_first(self.scores[[int(text) for text in texts]], depth)

    def score(self, texts, candidates):
        found = np.nan_to_num(self.scores[[int(text) for text in texts]], nan=0.5)
        taken = np.take_along_axis(found, np.maximum(candidates, 0), axis=1)
        return np.where(candidates < 0, np.nan, taken)


def nodes(chunks):
    found = []
    for row in range(NODES):
        node = TextNode(id_=f"n{row}", text=str(row))
        # Documents take turns, so that the chunks of one do not stand together.
        owner = RelatedNodeInfo(node_id=f"d{row % (NODES // chunks)}")
        node.relationships[NodeRelationship.SOURCE] = owner
        found.append(node)
    return found


def expected(hybrid, plans, corpus, qrels, depth):
    found = {n: leaf.retrieve_many(plans, NODES) for n, leaf in hybrid.leaves().items()}
    ranking = document_ranking(hybrid.combine(plans, found, NODES), corpus, depth)
    labels = Labels.of(qrels, ranking.query_ids, ranking.node_ids)
    return np.array([m.score(labels.judge(ranking.nodes)) for m in MEASURES])


def kernel(hybrid, plans, corpus, qrels, depth):
    found = {n: leaf.retrieve_many(plans, NODES) for n, leaf in hybrid.leaves().items()}
    rows, terms = hybrid.contributions(plans, found)
    documents, owners = document_rows(corpus)
    labels = Labels.of(qrels, [plan.id for plan in plans], documents)
    stacked = np.stack([terms[name] for name in sorted(terms)])
    return FusionKernel.of(stacked, owners[rows], labels, depth)


@st.composite
def cases(draw):
    """Whole numbers tie often; a part may find nothing, or give every passage one score."""
    parts = draw(st.integers(1, 3))
    value = st.one_of(st.just(np.nan), st.integers(0, 3).map(float))
    scores = [
        np.array(draw(st.lists(value, min_size=QUERIES * NODES, max_size=QUERIES * NODES)))
        for _ in range(parts)
    ]
    weight = st.sampled_from([0.1, 0.25, 0.3, 0.5, 1.0])
    weights = draw(st.lists(st.tuples(*[weight] * parts), min_size=1, max_size=4))
    options = {
        "normalise": draw(st.sampled_from(["zscore", "minmax", "rank", "none"])),
        "missing": draw(st.sampled_from(["min", "zero", "exact"])),
    }
    grades = draw(st.lists(st.integers(-1, 2), min_size=QUERIES * NODES, max_size=QUERIES * NODES))
    chunks, depth = draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from([2, 5, NODES]))
    return [s.reshape(QUERIES, NODES) for s in scores], weights, options, grades, chunks, depth


@settings(deadline=None, max_examples=150)
@given(cases())
@pytest.mark.slow
def test_every_weighting_scores_as_the_ranking_of_its_hybrid(case):
    scores, weights, options, grades, chunks, depth = case
    corpus = nodes(chunks)
    parts = {f"p{place}": Fixed(table) for place, table in enumerate(scores)}
    plans = [QueryPlan(f"q{row}", {EVERY_PART: (str(row),)}) for row in range(QUERIES)]
    qrels = {
        f"q{row}": {
            f"d{document}": grades[row * NODES + document]
            for document in range(NODES // chunks)
            if grades[row * NODES + document] >= 0
        }
        for row in range(QUERIES)
    }
    fusion = Hybrid(parts, **options)
    fusion.build(corpus)
    searched = kernel(fusion, plans, corpus, qrels, depth)
    (relevance,) = searched.relevance(np.array(weights))
    for measure, got in enumerate(MEASURES):
        found = got.score(relevance)
        for place, row in enumerate(weights):
            weighted = fusion.reweighted(dict(zip(parts, row, strict=True)))
            wanted = expected(weighted, plans, corpus, qrels, depth)
            np.testing.assert_array_equal(found[place], wanted[measure])


def test_a_passage_that_can_never_stand_above_is_left_out():
    terms = np.array([[[3.0, 2.0, 1.0, 0.0]], [[1.0, 3.0, 2.0, 0.0]]])
    labels = Labels.of({"q": {"c": 1}}, ["q"], ["a", "b", "c", "d"])
    found = FusionKernel.of(terms, np.array([[0, 1, 2, 3]], dtype=np.int32), labels, 4)
    assert found.rival_column.tolist() == [0, 1]
    places = found.places(np.array([[1.0, 0.5, 0.001], [0.001, 0.5, 1.0]]))
    assert places.tolist() == [[3, 3, 2]]


def test_blocked_queries_and_empty_lists_score_as_empty():
    terms = np.array([[[1.0], [1.0], [0.0]]])
    documents = np.array([[0], [0], [-1]], dtype=np.int32)
    labels = Labels.of({"a": {"d": 1}, "b": {"d": 1}}, ["a", "b", "c"], ["d"])
    found = FusionKernel.of(terms, documents, labels, 3).without(np.array([False, True, False]))
    (relevance,) = found.relevance(np.array([[1.0]]))
    assert parse("map_comp@3").score(relevance).tolist() == [[1.0, 0.0, 1.0]]


@pytest.mark.parametrize("weights", [[1.0, 0.0], [1.0, -1.0], [1.0, 1e-9]])
def test_weights_that_rounding_could_undo_are_refused(weights):
    labels = Labels.of({"q": {"a": 1}}, ["q"], ["a"])
    found = FusionKernel.of(np.ones((2, 1, 1)), np.zeros((1, 1), dtype=np.int32), labels, 3)
    with pytest.raises(ValueError, match="leave out a part"), np.errstate(all="ignore"):
        next(found.relevance(np.array([weights])))
