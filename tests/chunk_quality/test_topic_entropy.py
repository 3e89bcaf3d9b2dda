"""The entropy score of chunks: it tells subjects from mixtures, and counts what has no terms."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from chunk_quality.topic_entropy import TopicEntropy
from chunk_quality.topic_model import TermLimits
from tests.chunk_quality.readings import reading_of, sentences_of, two_subjects

ALL_TERMS = TermLimits(no_below=1, no_above=1.0)
HARD = [
    "",
    "...!?",
    "12345 67",
    "a" * 100_000,
    "mixed 한국어 русский 日本語",
    "😀😀",
    "bad \ud800",
]


def scores_of(part, reading=None):
    reading = two_subjects() if reading is None else reading
    return part.score(part.fit(reading), reading)


def test_chunks_of_one_subject_have_lower_entropy_than_mixed_ones():
    reading = two_subjects()
    order = np.arange(120).reshape(-1, 2, 3)
    order[:, 0, 2], order[:, 1, 2] = order[:, 1, 2].copy(), order[:, 0, 2].copy()
    order = order.ravel()
    mixed = replace(
        reading,
        sentences=tuple(reading.sentences[row] for row in order),
        terms=tuple(reading.terms[row] for row in order),
    )
    part = TopicEntropy(topics=2)
    model = part.fit(reading)
    pure, other = part.score(model, reading).values, part.score(model, mixed).values
    assert pure.max() < other.min()
    stars, food = model.top_terms(6)
    assert not set(stars) & set(food)


def test_every_topic_has_a_share_and_rows_sum_to_one():
    scores = scores_of(TopicEntropy(topics=30))
    assert scores.topics.shape == (40, 30)
    assert (scores.topics > 0).all()
    np.testing.assert_allclose(scores.topics.sum(axis=1), 1.0, atol=1e-12)
    assert (scores.terms == 18).all()


def test_one_topic():
    scores = scores_of(TopicEntropy(topics=1))
    assert (scores.values == 0.0).all()
    assert np.isnan(scores.normalised).all()


def test_fewer_chunks_than_topics():
    scores = scores_of(TopicEntropy(topics=50, limits=ALL_TERMS), two_subjects(6))
    assert scores.n_scored == 6
    assert ((scores.normalised >= 0) & (scores.normalised <= 1)).all()


def test_one_document_is_scored_where_its_terms_count():
    scores = scores_of(TopicEntropy(topics=3, limits=ALL_TERMS), reading_of([["a b c", "a b"]]))
    assert 0 <= scores.values[0] <= np.log(3)


def test_chunks_without_terms_are_counted_apart():
    reading = two_subjects(8)
    chunks = [sentences_of(reading, row) for row in range(8)] + [[], ["unheard words"]]
    scores = scores_of(TopicEntropy(topics=2, limits=TermLimits(2, 0.6)), reading_of(chunks))
    assert (scores.n_scored, scores.n_without_terms) == (8, 2)
    assert scores.mean == pytest.approx(scores.values[:8].mean())


def test_a_corpus_without_a_usable_term_has_no_values():
    scores = scores_of(TopicEntropy(topics=3), reading_of([["one two"], [], ["three"]]))
    assert np.isnan(scores.topics).all()
    assert scores.topics.shape == (3, 3)
    assert (scores.n_scored, scores.n_without_terms, scores.mean) == (0, 3, None)


def test_no_chunk_at_all():
    scores = scores_of(TopicEntropy(topics=3), reading_of([]))
    assert scores.values.shape == (0,)
    assert scores.mean is None


def test_hard_texts_have_a_value_or_are_counted():
    texts = [*HARD, unicodedata.normalize("NFD", "한국어 과학 문장이다. 과학 한국어.")]
    nodes = [TextNode(text=text, id_=f"n{row}") for row, text in enumerate(texts)]
    part = TopicEntropy(topics=3, passes=2, limits=ALL_TERMS)
    scores = part.measure(nodes)
    assert scores.n_scored + scores.n_without_terms == len(nodes)
    assert scores.n_without_terms >= 2
    found = scores.values[~np.isnan(scores.values)]
    assert ((found >= 0) & (found <= np.log(3) + 1e-9)).all()


@pytest.mark.parametrize(
    "options",
    [
        {"topics": 0},
        {"topics": 2.5},
        {"topics": True},
        {"topics": "many"},
        {"topics": "coherence", "candidates": ()},
        {"topics": "coherence", "candidates": (5, 0)},
        {"passes": 0},
        {"alpha": "flat"},
        {"alpha": 0.0},
        {"alpha": float("nan")},
    ],
)
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(ValueError, match=[*options][-1]):
        TopicEntropy(**options)
