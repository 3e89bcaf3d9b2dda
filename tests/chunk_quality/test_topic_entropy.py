"""Topics and their entropy: exact values, determinism, gensim as oracle, bad input."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from llama_index.core.schema import TextNode

from chunk_quality.topic_coherence import coherence
from chunk_quality.topic_entropy import TopicEntropy
from chunk_quality.topic_model import TermLimits, documents_of, entropy, normalised
from tests.chunk_quality.readings import reading_of, two_subjects

ROOT = Path(__file__).resolve().parents[2]
ALL_TERMS = TermLimits(no_below=1, no_above=1.0)


def test_one_topic_has_entropy_zero():
    values = entropy(np.eye(30))
    assert (values == 0.0).all()
    assert not np.signbit(values).any()


@pytest.mark.parametrize("k", [2, 3, 7, 30, 150])
def test_level_topics_have_entropy_ln_k(k):
    assert entropy(np.full((1, k), 1 / k))[0] == pytest.approx(np.log(k), abs=1e-12)
    assert normalised(np.full((1, k), 1 / k))[0] == pytest.approx(1.0, abs=1e-12)


def test_entropy_of_known_shares_in_nats():
    assert entropy([[0.5, 0.25, 0.25, 0.0]])[0] == pytest.approx(1.5 * np.log(2), abs=1e-12)


def test_a_single_topic_has_entropy_zero_and_no_normalised_value():
    assert entropy([[1.0], [1.0]]).tolist() == [0.0, 0.0]
    assert np.isnan(normalised([[1.0], [1.0]])).all()


def test_a_chunk_without_topics_has_no_entropy():
    assert np.isnan(entropy([[np.nan, np.nan], [1.0, 0.0]])).tolist() == [True, False]


@given(arrays(np.float64, (4, 5), elements=st.floats(0.0, 1.0)))
def test_entropy_lies_between_zero_and_ln_k(weights):
    weights[:, 0] += 1e-3
    shares = weights / weights.sum(axis=1, keepdims=True)
    values = entropy(shares)
    assert ((values >= 0) & (values <= np.log(5) + 1e-12)).all()
    np.testing.assert_allclose(values, entropy(shares[:, ::-1]), atol=1e-12)
    assert (normalised(shares) <= 1).all()


@pytest.mark.parametrize("topics", [[[0.5, 0.2]], [[1.5, -0.5]], [0.5, 0.5]])
def test_shares_that_are_none_are_refused(topics):
    with pytest.raises(ValueError, match="topics"):
        entropy(topics)


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
    scores = _scores(TopicEntropy(topics=30))
    assert scores.topics.shape == (40, 30)
    assert (scores.topics > 0).all()
    np.testing.assert_allclose(scores.topics.sum(axis=1), 1.0, atol=1e-12)
    assert (scores.terms == 18).all()


def test_inference_is_gensims():
    reading = two_subjects()
    model = TopicEntropy(topics=4).fit(reading)
    ours = model.topics(reading)
    model.lda.random_state = np.random.RandomState(1)
    bag = model.bags(documents_of(reading))[0]
    gensims = dict(model.lda.get_document_topics(bag, minimum_probability=0))
    np.testing.assert_allclose(ours[0], [gensims[k] for k in range(4)], atol=2e-3)


def test_a_chunk_has_the_same_topics_wherever_and_whenever_it_is_read():
    reading = two_subjects()
    model = TopicEntropy(topics=5).fit(reading)
    first = model.topics(reading)
    assert np.array_equal(first, model.topics(reading))
    backwards = reading_of([_sentences(reading, row) for row in range(39, -1, -1)])
    assert np.array_equal(first[::-1], model.topics(backwards))
    alone = reading_of([_sentences(reading, 7)])
    assert np.array_equal(first[7:8], model.topics(alone))


def test_fits_of_one_seed_are_bit_equal_and_of_two_seeds_are_not():
    one, again, other = (_scores(TopicEntropy(topics=5, seed=s)).topics for s in (3, 3, 4))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.slow
def test_processes_agree_bit_by_bit():
    program = (
        "import hashlib; from chunk_quality.topic_entropy import TopicEntropy; "
        "from tests.chunk_quality.readings import two_subjects; r = two_subjects(); "
        "p = TopicEntropy(topics=5); t = p.fit(r).topics(r); "
        "print(hashlib.sha256(t.tobytes()).hexdigest())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    here = hashlib.sha256(_scores(TopicEntropy(topics=5)).topics.tobytes()).hexdigest()
    assert done.stdout.decode().strip() == here


def test_held_out_topics_come_from_the_other_folds():
    reading = two_subjects()
    fold_of = np.arange(40) % 3
    held = TopicEntropy(topics=4).fit_held_out(reading, fold_of).topics(reading)
    rows = np.flatnonzero(fold_of == 1)
    rest = reading_of([_sentences(reading, row) for row in np.flatnonzero(fold_of != 1)])
    model = TopicEntropy(topics=4).fit(rest)
    own = reading_of([_sentences(reading, row) for row in rows])
    assert np.array_equal(held[rows], model.topics(own))


def test_terms_known_to_no_other_fold_have_no_held_out_topics():
    reading = two_subjects()
    held = TopicEntropy(topics=4).fit_held_out(reading, np.arange(40) % 2)
    assert np.isnan(held.topics(reading)).all()


@pytest.mark.parametrize("fold_of", [[0] * 40, [0, 1]])
def test_folds_that_hold_nothing_out_are_refused(fold_of):
    with pytest.raises(ValueError, match="folds must name"):
        TopicEntropy().fit_held_out(two_subjects(), fold_of)


def test_held_out_topics_refuse_other_chunks():
    held = TopicEntropy(topics=2).fit_held_out(two_subjects(), np.arange(40) % 3)
    with pytest.raises(ValueError, match="40 chunks, not for 10"):
        held.topics(two_subjects(10))


def test_coherence_finds_the_number_of_subjects():
    reading = two_subjects(60)
    part = TopicEntropy(topics="coherence", candidates=(2, 12), limits=ALL_TERMS)
    model = part.fit(reading)
    assert model.n_topics == 2
    assert -1 <= coherence(model, documents_of(reading)) <= 1
    assert part.fit_held_out(reading, np.arange(60) % 3).topics(reading).shape == (60, 2)


def test_coherence_without_terms_keeps_the_fewest_topics():
    part = TopicEntropy(topics="coherence", candidates=(9, 4))
    assert part.fit(reading_of([["a b"], ["c d"]])).n_topics == 4


def test_a_corpus_without_a_usable_term_has_no_values():
    scores = _scores(TopicEntropy(topics=3), reading_of([["one two"], [], ["three"]]))
    assert np.isnan(scores.topics).all()
    assert scores.topics.shape == (3, 3)
    assert (scores.n_scored, scores.n_without_terms, scores.mean) == (0, 3, None)


def test_no_chunk_at_all():
    scores = _scores(TopicEntropy(topics=3), reading_of([]))
    assert scores.values.shape == (0,)
    assert scores.mean is None


def test_one_document_is_scored_where_its_terms_count():
    scores = _scores(TopicEntropy(topics=3, limits=ALL_TERMS), reading_of([["a b c", "a b"]]))
    assert 0 <= scores.values[0] <= np.log(3)


def test_fewer_chunks_than_topics():
    scores = _scores(TopicEntropy(topics=50, limits=ALL_TERMS), two_subjects(6))
    assert scores.n_scored == 6
    assert ((scores.normalised >= 0) & (scores.normalised <= 1)).all()


def test_one_topic():
    scores = _scores(TopicEntropy(topics=1))
    assert (scores.values == 0.0).all()
    assert np.isnan(scores.normalised).all()


def test_chunks_without_terms_are_counted_apart():
    reading = two_subjects(8)
    chunks = [_sentences(reading, row) for row in range(8)] + [[], ["unheard words"]]
    scores = _scores(TopicEntropy(topics=2, limits=TermLimits(2, 0.6)), reading_of(chunks))
    assert (scores.n_scored, scores.n_without_terms) == (8, 2)
    assert scores.mean == pytest.approx(scores.values[:8].mean())


def test_limits_leave_terms_out():
    reading = reading_of([["common rare1 pair"], ["common pair"], ["common x"], ["common x"]])
    model = TopicEntropy(topics=2).fit(reading)
    assert sorted(model.dictionary.token2id) == ["pair", "x"]


HARD = [
    "",
    "...!?",
    "12345 67",
    "a" * 100_000,
    "mixed 한국어 русский 日本語",
    "😀😀",
    "bad \ud800",
]


def test_hard_texts_have_a_value_or_are_counted():
    import unicodedata

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
    with pytest.raises(ValueError, match=next(iter(options))):
        TopicEntropy(**options)


@pytest.mark.parametrize(
    "limits", [{"no_below": 0}, {"no_above": 0.0}, {"no_above": 5}, {"keep_n": 0}]
)
def test_limits_that_mean_nothing_are_refused(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        TermLimits(**limits)


def _scores(part, reading=None):
    reading = two_subjects() if reading is None else reading
    return part.score(part.fit(reading), reading)


def _sentences(reading, row):
    return [text for text, own in zip(reading.sentences, reading.owners, strict=True) if own == row]
