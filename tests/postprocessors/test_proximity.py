"""The stand-in for a cross-encoder is the model of its source, pair by pair."""

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocessors.proximity import ProximityScorer

WORDS = st.lists(st.sampled_from(["sun", "moon", "star", "sea"]), max_size=7).map(" ".join)
MU, WINDOW, WEIGHTS = 5.0, 3, (0.6, 0.3, 0.1)


def fitted(texts):
    scorer = ProximityScorer(["unicode"], weights=WEIGHTS, window=WINDOW, smoothing=MU)
    scorer.fit(texts)
    return scorer


def features(terms):
    pairs = [*pairwise(terms)]
    return terms, pairs, [tuple(sorted(pair)) for pair in pairs]


def counts(terms, kind, feature):
    if kind == 0:
        return terms.count(feature)
    found = 0
    for i in range(len(terms)):
        for j in range(i + 1, min(len(terms), i + (2 if kind == 1 else WINDOW))):
            pair = (terms[i], terms[j])
            found += (pair if kind == 1 else tuple(sorted(pair))) == feature
    return found


def by_definition(query, text, corpus):
    corpus = [one.split() for one in dict.fromkeys(corpus)]
    total, own, score = sum(map(len, corpus)), text.split(), 0.0
    known = [term for term in query.split() if any(term in one for one in corpus)]
    for kind, weight in enumerate(WEIGHTS):
        for feature in features(known)[kind]:
            everywhere = sum(counts(one, kind, feature) for one in corpus)
            if everywhere:
                p = everywhere / total
                here = counts(own, kind, feature)
                score += weight * (log((here + MU * p) / (len(own) + MU)) - log(p))
    return score


@given(WORDS, st.lists(WORDS, min_size=1, max_size=5))
def test_a_score_is_that_of_the_definition(query, texts):
    ours = fitted(texts).score_pairs([query] * len(texts), texts)
    expected = [by_definition(query, text, texts) for text in texts]
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)


def test_words_that_stand_together_score_higher():
    texts = ["light speed is fast", "speed of light is fast", "light is fast, and so is its speed"]
    texts += [f"the sea has the wave {place}" for place in range(20)]
    scorer = ProximityScorer(["unicode"])
    scorer.fit(texts)
    scores = scorer.score_pairs(["light speed"] * len(texts), texts)
    assert [*np.argsort(-scores)][:3] == [0, 1, 2]


def test_a_pair_scores_alike_alone_and_among_many():
    texts = [f"sun {'moon ' * (place % 5)}star" for place in range(150)]
    queries = [f"sun star {'moon ' * (place % 3)}" for place in range(150)]
    scorer = fitted(texts)
    together = scorer.score_pairs(queries, texts)
    alone = [scorer.score_pairs([q], [t])[0] for q, t in zip(queries, texts, strict=True)]
    np.testing.assert_array_equal(together, alone)


def test_a_passage_it_has_not_seen_and_impossible_options_are_refused():
    with pytest.raises(ValueError, match=r"call fit\(texts\)"):
        ProximityScorer().score_pairs(["a"], ["b"])
    with pytest.raises(ValueError, match="three weights"):
        ProximityScorer(weights=[1.0])
