"""BM25 against bm25s, and what bm25s leaves to its caller."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from bm25s import BM25
from llama_index.core.schema import TextNode

from retrievers.analyzers import analyzer
from retrievers.bm25 import BM25Retriever, Method
from retrievers.ranking import EVERY_PART, QueryPlan

TEXTS = [
    "light and heat and light",
    "heat of the sun",
    "the sun gives light, heat and wind",
    "wind",
    "",
    "sun sun sun sun",
]
QUERIES = ["light light sun", "heat", "wind of the sun", "unknown", "the of"]


def built(**options: object) -> BM25Retriever:
    retriever = BM25Retriever("english", **options)  # type: ignore[arg-type]
    retriever.build([TextNode(id_=str(place), text=text) for place, text in enumerate(TEXTS)])
    return retriever


@pytest.mark.parametrize(("k1", "b", "delta"), [(1.2, 0.6, 0.7), (2.0, 0.0, 0.0), (0.9, 1.0, 1.0)])
@pytest.mark.parametrize("method", get_args(Method))
def test_scores_are_those_of_bm25s(method: Method, k1: float, b: float, delta: float) -> None:
    oracle = BM25(k1=k1, b=b, delta=delta, method=method, dtype="float64")
    oracle.index(analyzer("english").analyze_many(TEXTS), show_progress=False)
    rows, scores = built(k1=k1, b=b, delta=delta, method=method).search(QUERIES[:3], 10)
    for row, query in enumerate(QUERIES[:3]):
        expected = oracle.get_scores(analyzer("english").analyze_many([query])[0])
        hits = rows[row] >= 0
        blank = expected[TEXTS.index("")]
        assert set(rows[row][hits]) == set(np.flatnonzero(expected > blank))
        np.testing.assert_allclose(scores[row][hits], expected[rows[row][hits]], rtol=1e-12)


@pytest.mark.parametrize("method", get_args(Method))
def test_without_saturation_every_score_is_a_number(method: Method) -> None:
    rows, scores = built(k1=0.0, delta=0.0, method=method).search(QUERIES, 10)
    assert np.isfinite(scores[rows >= 0]).all()


@pytest.mark.parametrize("texts", [[], [""], ["", "the of"]])
def test_a_corpus_without_terms_finds_nothing(texts: list[str]) -> None:
    retriever = BM25Retriever("english")
    retriever.index(texts)
    assert (retriever.search(QUERIES, 3)[0] == -1).all()


def test_a_large_corpus_is_counted_as_one() -> None:
    many = BM25Retriever("unicode")
    many.index([f"word{row % 7} sun" for row in range(3_000)])
    rows, scores = many.search(["word3"], 3_000)
    assert rows[0][rows[0] >= 0].tolist() == [*range(3, 3_000, 7)]
    assert np.nanmax(scores) == np.nanmin(scores)


@pytest.mark.parametrize("method", get_args(Method))
def test_a_result_shares_a_term_with_the_query(method: Method) -> None:
    rows, _ = built(method=method).search(QUERIES, 10)
    assert set(rows[1][rows[1] >= 0]) <= {0, 1, 2}
    assert (rows[3:] == -1).all()


def test_a_query_term_counts_as_often_as_it_is_repeated() -> None:
    once, twice = built().search(["light", "light light"], 2)[1]
    np.testing.assert_allclose(twice, 2 * once)


def test_the_title_is_searched_when_it_is_meant_to_be() -> None:
    node = TextNode(id_="a", text="wind", metadata={"title": "Light"})
    plain = node.model_copy(update={"excluded_embed_metadata_keys": ["title"]})
    for chunk, hits in ((node, 1), (plain, 0)):
        retriever = BM25Retriever("english")
        retriever.build([chunk])
        ranking = retriever.retrieve_many([QueryPlan("q", {EVERY_PART: ("light",)})], 5)
        assert ranking.lengths().tolist() == [hits]


@pytest.mark.parametrize(
    "options",
    [
        {"method": "okapi"},
        {"k1": -1},
        {"k1": float("nan")},
        {"b": 1.5},
        {"delta": -1.5},
        {"method": "bm25l", "k1": 0},
    ],
)
def test_a_wrong_option_is_one_sentence(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="BM25"):
        built(**options)
