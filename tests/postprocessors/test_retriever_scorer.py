"""A retriever rates pairs as it rates its own results."""

from __future__ import annotations

import numpy as np
import pytest

from postprocessors.retriever_scorer import RetrieverScorer
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.fusion import Hybrid

CORPUS = ["sun and moon", "sun", "the sea", "", "moon light", "sun"]
QUERIES = ["sun", "moon light on the sea", "", "nothing of it"]


def hybrid() -> Hybrid:
    return Hybrid({"words": BM25Retriever("unicode"), "characters": CharTfidfRetriever()})


def scored(scorer: RetrieverScorer, queries: list[str]) -> np.ndarray:
    scorer.fit(CORPUS)
    pairs = [(query, text) for query in queries for text in CORPUS]
    asked, read = zip(*pairs, strict=True)
    return scorer.score_pairs(asked, read).reshape(len(queries), len(CORPUS))


def test_its_results_keep_their_scores_and_all_others_get_the_lowest() -> None:
    retriever = BM25Retriever("unicode")
    table = scored(RetrieverScorer(retriever), QUERIES)
    rows, scores = retriever.search(["sun"], 10)
    assert rows[0][rows[0] >= 0].tolist() == [1, 0]  # equal passages are one
    np.testing.assert_array_equal(table[0], scores[0][[1, 0, 1, 1, 1, 0]])
    assert (table[2:] == 0).all()


def test_it_reads_no_more_results_than_its_depth() -> None:
    table = scored(RetrieverScorer(BM25Retriever("unicode"), depth=1), ["sun"])
    assert len(set(table[0])) == 1


def test_a_fusion_ranks_pairs_as_it_ranks_its_results() -> None:
    retriever = hybrid()
    table = scored(RetrieverScorer(retriever), QUERIES[:2])
    for row, ranked in enumerate(retriever.search(QUERIES[:2], 10)[0]):
        places = [CORPUS.index(retriever.nodes[node].get_content()) for node in ranked if node >= 0]
        assert (np.diff(table[row, places]) <= 0).all()


def test_a_pair_scores_the_same_alone_as_among_all_others() -> None:
    scorer = RetrieverScorer(hybrid())
    together = scored(scorer, QUERIES)
    for row, query in enumerate(QUERIES):
        for column, text in enumerate(CORPUS):
            assert scorer.score_pairs([query], [text])[0] == together[row, column]


def test_passages_it_has_not_seen_and_a_depth_of_0_are_refused() -> None:
    with pytest.raises(ValueError, match="RetrieverScorer knows only the passages"):
        RetrieverScorer(hybrid()).score_pairs(["a"], ["b"])
    with pytest.raises(ValueError, match="give a whole number from 1"):
        RetrieverScorer(hybrid(), depth=0)
