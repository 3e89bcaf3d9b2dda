"""Chunks mixed from two documents against pure ones, and why a control must be unseen."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.planted_chunks import (
    HELD_OUT,
    SEEN,
    SIMILARITY,
    mixed_order,
    planted_aucs,
    reading_of,
)
from chunk_quality.control import folds, shuffled
from chunk_quality.sentence_similarity import SentenceSimilarity
from chunk_quality.separation import separation
from chunk_quality.topic_entropy import TopicEntropy
from chunk_quality.topic_model import entropy
from experiments.datasets.science_sample import FOLDER
from retrievers.lsa import LsaEmbedding


@pytest.fixture(scope="module")
def sample():
    return reading_of(FOLDER)


def lsa_vectors(reading):
    return SentenceSimilarity(embedding=LsaEmbedding()).embed(reading)


def test_mixed_chunks_hold_two_documents_and_as_many_sentences(sample):
    order, rows = mixed_order(sample, folds(sample), seed=0)
    assert sorted(order) == list(range(len(order)))
    assert len(rows) > 200
    for row in rows:
        origins = sample.owners[order[sample.owners == row]]
        assert len(set(origins)) == 2


def test_the_better_measure_finds_the_mixed_chunks_of_the_sample(sample):
    aucs = planted_aucs(sample, lsa_vectors(sample), TopicEntropy())
    assert max(aucs.values()) >= 0.9
    assert aucs[SIMILARITY] >= 0.75
    assert aucs[HELD_OUT] < aucs[SEEN]


def test_on_chunks_of_random_sentences_only_held_out_topics_are_honest(sample):
    """A model finds the chunks it has learned coherent, even those of random sentences."""
    fold_of = folds(sample)
    nonsense = shuffled(sample, 1, fold_of).reading
    control = shuffled(nonsense, 2, fold_of).reading
    part = TopicEntropy()
    aucs = []
    for model in (part.fit(nonsense), part.fit_held_out(nonsense, fold_of)):
        real, other = entropy(model.topics(nonsense)), entropy(model.topics(control))
        aucs.append(separation(real, other, higher_is_coherent=False))
    seen, unseen = aucs
    assert seen.auc > 0.9
    assert unseen.low < 0.5 < unseen.high


@pytest.mark.slow
def test_the_better_measure_finds_the_mixed_chunks_of_cranfield(real_data):
    reading = reading_of(real_data / "cranfield")
    aucs = planted_aucs(reading, lsa_vectors(reading), TopicEntropy())
    assert np.max([*aucs.values()]) >= 0.8
