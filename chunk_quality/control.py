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
"""A sentence changes places among `BAND` or more of like length, in at most `BANDS` bands."""

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
    rng = np.random.default_rng(seed)
    documents = _codes(reading.documents)[reading.owners]
    order = np.arange(len(reading.sentences), dtype=np.int64)
    script = _has_hangul(reading.sentences)
    alike = _by_length(reading.sentences, script, rng)
    fold = _fold_of(reading, folds)[reading.owners]
    for name in np.unique(fold):
        places = alike[fold[alike] == name]
        parts = np.split(places, [np.searchsorted(script[places], True)])
        mixed = np.concatenate([_mixed(part, rng) for part in parts])
        order[places] = _mended(mixed, documents[places], documents)
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


def _fold_of(reading: Reading, folds: ArrayLike | None) -> Places:
    count = len(reading.chunk_ids)
    fold_of = np.zeros(count, dtype=np.int64) if folds is None else np.asarray(folds)
    if fold_of.shape != (count,):
        raise ValueError(
            f"folds must name the fold of each of the {count} chunks, not be of shape "
            f"{fold_of.shape}."
        )
    return fold_of


def _codes(names: Sequence[str]) -> Places:
    """A number for each name, equal for equal names."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _has_hangul(sentences: Sequence[str]) -> NDArray[np.bool_]:
    hangul = re.compile(f"[{HANGUL}]")
    return np.array([hangul.search(text) is not None for text in sentences], dtype=np.bool_)


def _by_length(
    sentences: Sequence[str], script: NDArray[np.bool_], rng: np.random.Generator
) -> Places:
    """The sentences by script, then by length; equal ones in random order."""
    length = np.array([len(text) for text in sentences], dtype=np.int64)
    return np.lexsort((rng.random(len(sentences)), length, script))


def _mixed(places: Places, rng: np.random.Generator) -> Places:
    """Places sorted by length, in random order within bands of like length."""
    count = max(1, min(len(places) // BAND, BANDS))
    return np.concatenate([rng.permutation(band) for band in np.array_split(places, count)])


def _mended(mixed: Places, own: Places, documents: Places) -> Places:
    """The sentences without those that came back to their own document, as far as can be.

    own: the document of each place.  documents: of each sentence. A stuck sentence changes with
    one that fits on both sides; where there is none left, no other order has fewer stuck.
    """
    found = mixed.copy()
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
