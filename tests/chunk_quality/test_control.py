"""The shuffled control: what it keeps, what it moves, and when it cannot."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_quality.control import folds, shuffled
from tests.chunk_quality.readings import reading_of

corpora = st.lists(
    st.tuples(st.integers(0, 5), st.lists(st.sampled_from(["a", "bb b", "ccc c cc"]), max_size=5)),
    max_size=14,
)


def _corpus(rng, count=200):
    """Chunks of 1 to 6 sentences of very different lengths."""
    return reading_of(
        [
            ["x" * int(length) for length in rng.lognormal(4, 0.6, rng.integers(1, 7)) + 1]
            for _ in range(count)
        ]
    )


@settings(max_examples=60, deadline=None)
@given(corpora, st.integers(0, 5))
def test_as_few_sentences_stay_as_can(corpus, seed):
    """No more than the excess of a document that holds over half of all sentences."""
    reading = reading_of([texts for _, texts in corpus], [f"d{name}" for name, _ in corpus])
    control = shuffled(reading, seed)
    held = Counter(reading.documents[owner] for owner in reading.owners)
    assert control.stayed == max(0, 2 * max(held.values(), default=0) - len(reading.owners))


@settings(max_examples=30, deadline=None)
@given(corpora, st.integers(0, 5))
def test_every_sentence_stands_once_and_chunks_keep_their_number(corpus, seed):
    reading = reading_of([texts for _, texts in corpus], [f"d{name}" for name, _ in corpus])
    control = shuffled(reading, seed)
    assert sorted(control.order) == list(range(len(reading.sentences)))
    assert control.reading.sentences == tuple(reading.sentences[row] for row in control.order)
    assert control.reading.terms == tuple(reading.terms[row] for row in control.order)
    assert control.reading.chunk_ids == reading.chunk_ids
    assert np.array_equal(control.reading.owners, reading.owners)


def test_lengths_are_kept_nearly():
    reading = _corpus(np.random.default_rng(0))
    lengths = np.array([len(text) for text in reading.sentences])
    moved = lengths[shuffled(reading).order]
    free = lengths[np.random.default_rng(1).permutation(len(lengths))]
    assert np.abs(moved - lengths).mean() < 0.1 * np.abs(free - lengths).mean()
    chunk, control = (np.bincount(reading.owners, of) for of in (lengths, moved))
    assert np.corrcoef(chunk, control)[0, 1] > 0.99


def test_neighbours_part():
    """Sentences of one chunk are scattered, not moved together."""
    reading = _corpus(np.random.default_rng(0))
    origins = reading.owners[shuffled(reading).order]
    pairs = [
        (origins[i], origins[i + 1])
        for i in range(len(origins) - 1)
        if reading.owners[i] == reading.owners[i + 1]
    ]
    assert np.mean([a == b for a, b in pairs]) < 0.05


def test_languages_keep_apart():
    korean, english = [["가나다라"] * 2] * 40, [["star"] * 2] * 40
    reading = reading_of(korean + english)
    control = shuffled(reading)
    assert control.stayed == 0
    same = [a == b for a, b in zip(control.reading.sentences, reading.sentences, strict=True)]
    assert np.mean(same) > 0.95


def test_seeds_give_other_controls_and_one_seed_the_same():
    reading = _corpus(np.random.default_rng(0))
    one, again, other = (shuffled(reading, seed).order for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_sentences_stay_in_their_fold():
    reading = _corpus(np.random.default_rng(0))
    fold_of = folds(reading)
    control = shuffled(reading, folds=fold_of)
    assert np.array_equal(fold_of[reading.owners], fold_of[reading.owners[control.order]])
    assert control.stayed == 0


def test_one_document_says_that_nothing_moved():
    control = shuffled(reading_of([["a", "b"], ["c"]], ["d", "d"]))
    assert (control.stayed, control.stayed_share) == (3, 1.0)


@pytest.mark.parametrize("chunks", [[], [[]], [[], []]])
def test_no_sentence_is_no_control(chunks):
    control = shuffled(reading_of(chunks))
    assert (control.stayed, control.stayed_share) == (0, 1.0)
    assert control.order.shape == (0,)


def test_a_large_document_among_small_ones_is_quick():
    sizes = [20_000, *[10] * 1_000]
    control = shuffled(reading_of([["s"] * size for size in sizes]))
    assert control.stayed == 10_000


def test_folds_keep_documents_whole_and_even():
    names = [f"d{row // 3}" for row in range(300)]
    fold_of = folds(reading_of([["s"]] * 300, names), 4)
    assert all(len({*fold_of[row : row + 3]}) == 1 for row in range(0, 300, 3))
    assert np.bincount(fold_of).min() >= 72


def test_folds_of_one_document_and_of_none():
    assert len(np.unique(folds(reading_of([["a"], ["b"]], ["d", "d"])))) == 1
    assert folds(reading_of([])).shape == (0,)


def test_bad_folds_are_refused():
    reading = reading_of([["a"], ["b"]])
    with pytest.raises(ValueError, match="2 folds or more"):
        folds(reading, 1)
    with pytest.raises(ValueError, match="each of the 2 chunks"):
        shuffled(reading, folds=[0])
