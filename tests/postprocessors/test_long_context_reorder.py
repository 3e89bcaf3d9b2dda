"""The order of the prompt goes by rank, and the ranking itself is never touched."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.postprocessor import LongContextReorder as TheirReorder
from llama_index.core.schema import NodeWithScore, TextNode

from postprocessors.long_context_reorder import LongContextReorder, prompt_order
from retrievers.ranking import Ranking


def found(scores):
    return [
        NodeWithScore(node=TextNode(id_=str(rank), text=str(rank)), score=score)
        for rank, score in enumerate(scores)
    ]


def ids(nodes):
    return [int(item.node.node_id) for item in nodes]


@pytest.mark.parametrize(
    ("count", "order", "expected"),
    [
        (10, "best_first", [0, 2, 4, 6, 8, 9, 7, 5, 3, 1]),
        (10, "best_last", [1, 3, 5, 7, 9, 8, 6, 4, 2, 0]),
        (10, "langchain", [1, 3, 5, 7, 9, 8, 6, 4, 2, 0]),
        (5, "langchain", [0, 2, 4, 3, 1]),
        (5, "best_first", [0, 2, 4, 3, 1]),
        (3, "none", [0, 1, 2]),
        (0, "best_first", []),
        (1, "best_last", [0]),
    ],
)
def test_known_orders(count, order, expected):
    assert prompt_order(count, order).tolist() == expected


@pytest.mark.parametrize("count", range(51))
def test_langchain_order_is_that_of_its_own_class(count):
    module = pytest.importorskip("langchain_community.document_transformers.long_context_reorder")
    ours = prompt_order(count, "langchain").tolist()
    assert ours == module._litm_reordering(list(range(count)))


@pytest.mark.parametrize("count", range(51))
def test_falling_scores_give_the_order_of_llamaindex(count):
    nodes = found(np.linspace(1, 0, count))
    ours = LongContextReorder(order="langchain", min_nodes=0).postprocess_nodes(nodes)
    assert ids(ours) == ids(TheirReorder().postprocess_nodes(nodes))


CELTICS = [
    "This is a document about the Boston Celtics",
    "The Celtics are my favourite team.",
    "L. Kornet is one of the best Celtics players.",
    "The Boston Celtics won the game by 20 points",
    "Larry Bird was an iconic NBA player.",
    "Elden Ring is one of the best games in the last 15 years.",
    "Basquetball is a great sport.",
    "I simply love going to the movies",
    "Fly me to the moon is one of my favourite songs.",
    "This is just a random text.",
]


def test_the_ten_sentences_of_langchains_example_stand_as_it_shows_them():
    ranked = [NodeWithScore(node=TextNode(text=text)) for text in CELTICS]
    after = LongContextReorder(order="langchain").postprocess_nodes(ranked)
    assert [one.text for one in after] == [
        "The Celtics are my favourite team.",
        "The Boston Celtics won the game by 20 points",
        "Elden Ring is one of the best games in the last 15 years.",
        "I simply love going to the movies",
        "This is just a random text.",
        "Fly me to the moon is one of my favourite songs.",
        "Basquetball is a great sport.",
        "Larry Bird was an iconic NBA player.",
        "L. Kornet is one of the best Celtics players.",
        "This is a document about the Boston Celtics",
    ]


@given(st.integers(0, 60), st.sampled_from(["best_first", "best_last", "langchain", "none"]))
def test_every_order_is_a_permutation(count, order):
    assert sorted(prompt_order(count, order)) == list(range(count))


@pytest.mark.parametrize("scores", [[None] * 12, [0.5] * 12, [-1.0] * 12])
def test_missing_and_tied_scores_give_the_order_of_falling_ones(scores):
    reorder = LongContextReorder()
    falling = reorder.postprocess_nodes(found(np.linspace(1, 0, 12)))
    assert ids(reorder.postprocess_nodes(found(scores))) == ids(falling)


def test_fewer_nodes_than_the_minimum_keep_their_order():
    assert ids(LongContextReorder().postprocess_nodes(found([3.0, 2.0, 1.0]))) == [0, 1, 2]
    assert ids(LongContextReorder(min_nodes=0).postprocess_nodes(found([3.0, 2.0, 1.0]))) == [
        0,
        2,
        1,
    ]


def test_it_says_how_many_queries_are_too_short_to_be_reordered():
    nodes = np.array([[0, 1, 2], [2, 1, -1], [0, -1, -1]], dtype=np.int32)
    ranking = Ranking(("a", "b", "c"), ("x", "y", "z"), nodes, np.zeros((3, 3)))
    reorder = LongContextReorder(min_nodes=3)
    reorder.postprocess_many(ranking, (), ())
    assert reorder.notes == (
        "LongContextReorder left 1 of 3 queries in order: they have fewer passages than "
        "min_nodes=3.",
    )
    for quiet in (LongContextReorder(min_nodes=0), LongContextReorder(order="none")):
        quiet.postprocess_many(ranking, (), ())
        assert quiet.notes == ()


def test_the_input_is_not_changed_and_async_equals_sync():
    reorder, nodes = LongContextReorder(), found(np.linspace(1, 0, 11))
    before = list(nodes)
    sync = reorder.postprocess_nodes(nodes)
    assert nodes == before
    assert ids(asyncio.run(reorder.apostprocess_nodes(nodes))) == ids(sync)


def test_queries_of_different_length_are_ordered_apart_and_keep_their_scores():
    nodes = np.array([[0, 1, 2], [2, 1, -1]], dtype=np.int32)
    scores = np.array([[3.0, 2.0, 1.0], [5.0, 4.0, np.nan]])
    before = Ranking(("a", "b"), ("x", "y", "z"), nodes, scores, {"bm25": scores})
    after = LongContextReorder(min_nodes=3).postprocess_many(before, (), ())
    assert after.nodes.tolist() == [[0, 2, 1], [2, 1, -1]]
    assert after.scores[0].tolist() == after.parts["bm25"][0].tolist() == [3.0, 1.0, 2.0]
    assert before.nodes.tolist() == [[0, 1, 2], [2, 1, -1]]
