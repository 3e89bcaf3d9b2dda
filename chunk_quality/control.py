"""The control of every measure: chunks of the same lengths, of sentences from other documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunk_quality.reading import Reading
from retrievers.analyzers import HANGUL

BAND, BANDS = 16, 256
"""Sentences of like length that change places: at least `BAND`, in at most about `BANDS` bands."""

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """The chunks of a reading with the sentences of others.

    reading: the same chunk ids, documents and numbers of sentences; no other part is as it was.
    order: int64 [s], which sentence of the real reading stands at each place: the vectors of the
        control are `vectors[order]`. A permutation, so the corpus keeps every sentence.
    stayed: sentences that are still in their own document; as few as can be.
    """

    reading: Reading
    order: Places
    stayed: int

    @property
    def stayed_share(self) -> float:
        """stayed over all sentences; 1.0 where there is none: nothing moved."""
        return self.stayed / len(self.order) if len(self.order) else 1.0


def shuffled(reading: Reading, seed: int = 0, folds: ArrayLike | None = None) -> Shuffled:
    """Exchange the sentences across documents.

    A place gets a sentence of about the same length and of the same script (Hangul or not), since
    chunks that mix two languages would be told from real ones by that alone. No sentence stays in
    its own document unless that document holds more than half of what can be exchanged.
    folds: int [n], the fold of each chunk; a sentence does not leave its fold, so that a model
        fitted on the other folds has seen neither a chunk nor its control.
    Raises ValueError for folds of another length.
    """
    fold_of = np.zeros(len(reading.chunk_ids), np.int64) if folds is None else np.asarray(folds)
    if fold_of.shape != (len(reading.chunk_ids),):
        raise ValueError(
            f"folds must name the fold of each of the {len(reading.chunk_ids)} chunks, not be of "
            f"shape {fold_of.shape}."
        )
    rng = np.random.default_rng(seed)
    documents = _codes(reading.documents)[reading.owners]
    order = np.arange(len(reading.sentences), dtype=np.int64)
    alike, fold = _by_length(reading.sentences, rng), fold_of[reading.owners]
    for name in np.unique(fold):
        places = alike[fold[alike] == name]
        order[places] = _exchanged(places, documents, rng)
    stayed = int((documents[order] == documents).sum())
    return Shuffled(_reordered(reading, order), order, stayed)


def folds(reading: Reading, count: int = 2, seed: int = 0) -> Places:
    """The fold (0 to count - 1) of each chunk, int64 [n]; a document stays whole.

    Folds hold about as many chunks each, as far as the documents' sizes allow; with fewer
    documents than folds some stay empty. Raises ValueError for a count below 2.
    """
    if count < 2:
        raise ValueError(f"count={count}: chunks are held out in 2 folds or more.")
    documents = _codes(reading.documents)
    sizes = np.bincount(documents)
    drawn = np.random.default_rng(seed).permutation(len(sizes))
    middles = np.cumsum(sizes[drawn]) - sizes[drawn] / 2
    fold_of = np.empty(len(sizes), dtype=np.int64)
    fold_of[drawn] = middles * count // max(len(documents), 1)
    return fold_of[documents]


def _codes(names: Sequence[str]) -> Places:
    """A number for each name, equal for equal names."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _by_length(sentences: Sequence[str], rng: np.random.Generator) -> Places:
    """The sentences by script, then by length; equal ones in random order."""
    hangul = re.compile(f"[{HANGUL}]")
    script = np.array([hangul.search(text) is not None for text in sentences], dtype=bool)
    length = np.array([len(text) for text in sentences], dtype=np.int64)
    return np.lexsort((rng.random(len(sentences)), length, script))


def _exchanged(places: Places, documents: Places, rng: np.random.Generator) -> Places:
    """The sentences for places that are sorted by length: mixed in bands, then mended."""
    found = places.copy()
    band = max(BAND, len(places) // BANDS)
    for begin in range(0, len(places), band):
        found[begin : begin + band] = rng.permutation(found[begin : begin + band])
    own = documents[places]
    for document in np.unique(own[own == documents[found]]):
        brought = documents[found]
        stuck = np.flatnonzero((own == document) & (brought == document))
        free = np.flatnonzero((own != document) & (brought != document))
        here, there = _neighbours(stuck, free)
        found[here], found[there] = found[there], found[here]
    return found


def _neighbours(stuck: Places, free: Places) -> tuple[Places, Places]:
    """Pairs of a stuck and a free place, each used once, near each other in the sorting."""
    if len(stuck) > len(free):
        stuck = stuck[np.linspace(0, len(stuck) - 1, len(free)).astype(np.int64)]
    steps = np.arange(len(stuck))
    at = np.maximum.accumulate(np.searchsorted(free, stuck) - steps) + steps
    return stuck, free[np.minimum(at, len(free) - len(stuck) + steps)]


def _reordered(reading: Reading, order: Places) -> Reading:
    rows = order.tolist()
    return replace(
        reading,
        sentences=tuple(reading.sentences[row] for row in rows),
        terms=tuple(reading.terms[row] for row in rows),
        morphemes=reading.morphemes[order] if len(reading.morphemes) else reading.morphemes,
    )
