"""Meaning and words in one score: each a z-score over the corpus, whatever else is asked."""

import numpy as np
import pytest
from llama_index.core.embeddings import MockEmbedding

from postprocessors.blended_scorer import BlendedScorer, CosineScorer
from postprocessors.proximity import ProximityScorer

VECTORS = {
    "sun": [1.0, 0.0],
    "moon and sun": [3.0, 4.0],
    "sea": [0.0, 2.0],
    "what shines": [2.0, 0.0],
    "what is wet": [1.0, 1.0],
}
CORPUS = ["sun", "moon and sun", "sea", "", "sun"]
QUERIES = ["what shines", "what is wet", ""]


class Written(MockEmbedding):
    """The vectors above."""

    def _get_text_embedding(self, text):
        return VECTORS[text]

    def _get_query_embedding(self, query):
        return VECTORS[query]


def scored(scorer, queries=QUERIES, texts=CORPUS):
    scorer.fit(CORPUS)
    pairs = [(query, text) for query in queries for text in texts]
    return scorer.score_pairs(*zip(*pairs, strict=True)).reshape(len(queries), len(texts))


def blended(**weights):
    words = ProximityScorer(["unicode"])
    return BlendedScorer({"meaning": CosineScorer(Written(embed_dim=2)), "words": words}, weights)


def test_the_cosine_is_that_of_the_vectors_and_0_for_a_blank_text():
    half = np.sqrt(0.5)
    expected = [[1, 0.6, 0, 0, 1], [half, 1.4 * half, half, 0, half], [0] * 5]
    np.testing.assert_allclose(scored(CosineScorer(Written(embed_dim=2))), expected, atol=1e-7)


def test_the_blend_is_the_weighted_sum_of_z_scores_over_the_distinct_passages():
    queries = ["what shines"]
    cosine = scored(CosineScorer(Written(embed_dim=2)), queries)[0]
    distinct = cosine[:4]
    z = (cosine - distinct.mean()) / distinct.std()
    ours = scored(blended(meaning=0.25, words=0.75), queries)[0]
    np.testing.assert_allclose(ours, 0.25 * z, atol=1e-7)  # no word of the query is in the corpus


def test_a_pair_scores_the_same_alone_as_among_all_others():
    scorer = blended(meaning=0.5, words=0.5)
    together = scored(scorer)
    for row, query in enumerate(QUERIES):
        for column, text in enumerate(CORPUS):
            assert scorer.score_pairs([query], [text])[0] == together[row, column]


def test_a_query_that_says_nothing_scores_all_alike():
    assert (scored(blended(meaning=0.5, words=0.5), [""]) == 0).all()


def test_passages_it_has_not_seen_and_weights_of_other_parts_are_refused():
    with pytest.raises(ValueError, match="BlendedScorer knows only the passages"):
        blended(meaning=0.5, words=0.5).score_pairs(["a"], ["b"])
    with pytest.raises(ValueError, match="give each part a weight above 0"):
        blended(meaning=1.0)
    with pytest.raises(ValueError, match="give each part a weight above 0"):
        blended(meaning=1.0, words=0.0)
