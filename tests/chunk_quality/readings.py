"""Small readings with known documents and terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunk_quality.reading import Reading


def reading_of(chunks: Sequence[Sequence[str]], documents: Sequence[str] | None = None) -> Reading:
    """Chunks of sentences; the terms are the words between blanks."""
    ids = tuple(f"c{row}" for row in range(len(chunks)))
    sentences = tuple(sentence for chunk in chunks for sentence in chunk)
    return Reading(
        chunk_ids=ids,
        documents=ids if documents is None else tuple(documents),
        sentences=sentences,
        terms=tuple(tuple(sentence.split()) for sentence in sentences),
        owners=np.repeat(np.arange(len(chunks), dtype=np.int32), [len(c) for c in chunks]),
    )


def two_subjects(count: int = 40, seed: int = 0) -> Reading:
    """Chunks of three sentences, of stars and of cooking in turn; no word serves both."""
    rng = np.random.default_rng(seed)
    words = (
        "star planet orbit moon comet galaxy".split(),
        "soup salt onion pan oven bread".split(),
    )
    return reading_of(
        [[" ".join(rng.choice(words[row % 2], 6)) for _ in range(3)] for row in range(count)]
    )


def sentences_of(reading: Reading, row: int) -> list[str]:
    """The sentences of one chunk."""
    return [text for text, own in zip(reading.sentences, reading.owners, strict=True) if own == row]
