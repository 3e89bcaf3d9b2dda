"""A fitted model of topics: gensim's inference, bit-equal for a seed, held out by fold."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chunk_quality.topic_coherence import coherence
from chunk_quality.topic_entropy import TopicEntropy
from chunk_quality.topic_model import TermLimits, documents_of
from tests.chunk_quality.readings import reading_of, sentences_of, two_subjects

ROOT = Path(__file__).resolve().parents[2]


def fitted_topics(seed=0):
    reading = two_subjects()
    return TopicEntropy(topics=5, seed=seed).fit(reading).topics(reading)


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
    backwards = reading_of([sentences_of(reading, row) for row in range(39, -1, -1)])
    assert np.array_equal(first[::-1], model.topics(backwards))
    alone = reading_of([sentences_of(reading, 7)])
    assert np.array_equal(first[7:8], model.topics(alone))


def test_fits_of_one_seed_are_bit_equal_and_of_two_seeds_are_not():
    one, again, other = (fitted_topics(seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.slow
def test_processes_agree_bit_by_bit():
    program = (
        "import hashlib; from tests.chunk_quality.test_topic_model import fitted_topics; "
        "print(hashlib.sha256(fitted_topics().tobytes()).hexdigest())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    here = hashlib.sha256(fitted_topics().tobytes()).hexdigest()
    assert done.stdout.decode().strip() == here


def test_held_out_topics_come_from_the_other_folds():
    reading = two_subjects()
    fold_of = np.arange(40) % 3
    held = TopicEntropy(topics=4).fit_held_out(reading, fold_of).topics(reading)
    rows = np.flatnonzero(fold_of == 1)
    rest = reading_of([sentences_of(reading, row) for row in np.flatnonzero(fold_of != 1)])
    model = TopicEntropy(topics=4).fit(rest)
    own = reading_of([sentences_of(reading, row) for row in rows])
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
    part = TopicEntropy(
        topics="coherence", candidates=(2, 12), limits=TermLimits(no_below=1, no_above=1.0)
    )
    model = part.fit(reading)
    assert model.n_topics == 2
    assert -1 <= coherence(model, documents_of(reading)) <= 1
    assert part.fit_held_out(reading, np.arange(60) % 3).topics(reading).shape == (60, 2)


def test_coherence_without_terms_keeps_the_fewest_topics():
    part = TopicEntropy(topics="coherence", candidates=(9, 4))
    assert part.fit(reading_of([["a b"], ["c d"]])).n_topics == 4


def test_limits_leave_terms_out():
    reading = reading_of([["common rare1 pair"], ["common pair"], ["common x"], ["common x"]])
    model = TopicEntropy(topics=2).fit(reading)
    assert sorted(model.dictionary.token2id) == ["pair", "x"]


@pytest.mark.parametrize(
    "limits", [{"no_below": 0}, {"no_above": 0.0}, {"no_above": 5}, {"keep_n": 0}]
)
def test_limits_that_mean_nothing_are_refused(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        TermLimits(**limits)
