"""A part whose first passage is always gold is suspicious; one miss is enough to trust it."""

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from experiments.cautions.circular_labels import circular_labels
from retrievers.ranking import Ranking

N = 30
NODES = [TextNode(id_=f"d{n}", text="물") for n in range(N)]
QUERIES = tuple(f"q{n}" for n in range(N))
QRELS = {f"q{n}": {f"d{n}": 1} for n in range(N)}


def ranking(first, parts=None):
    """Two results a query: the one in `first`, then the next document."""
    nodes = np.array([[n, (n + 1) % N] for n in first], dtype=np.int32)
    scores = np.tile([2.0, 1.0], (N, 1))
    return Ranking(QUERIES, tuple(node.node_id for node in NODES), nodes, scores, parts or {})


def test_a_retriever_that_is_always_right_is_pointed_out():
    (said,) = circular_labels(ranking(range(N)), NODES, QRELS, QUERIES)
    assert "each of 30 labelled questions" in said


def test_one_miss_is_enough():
    first = [*range(N - 1), 0]
    assert circular_labels(ranking(first), NODES, QRELS, QUERIES) == ()


def test_the_part_that_made_the_labels_is_named_although_the_fusion_misses():
    first = [(n - 1) % N for n in range(N)]  # the gold passage stands second everywhere
    bm25 = np.tile([1.0, 5.0], (N, 1))
    dense = np.tile([5.0, np.nan], (N, 1))
    (said,) = circular_labels(ranking(first, {"bm25": bm25, "dense": dense}), NODES, QRELS, QUERIES)
    assert "The first passage of bm25 " in said


@pytest.mark.parametrize("known", [QUERIES[:29], ()])
def test_few_labels_prove_nothing_and_sealed_ones_are_not_read(known):
    assert circular_labels(ranking(range(N)), NODES, QRELS, known) == ()


def test_an_empty_ranking_and_empty_labels_are_silent():
    nothing = Ranking(QUERIES, ("d0",), np.zeros((N, 0), np.int32), np.zeros((N, 0)))
    assert circular_labels(nothing, NODES, QRELS, QUERIES) == ()
    assert circular_labels(ranking(range(N)), NODES, {}, QUERIES) == ()
