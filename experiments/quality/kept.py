"""How a reading of the chunks, and what they repeat, stand on disk."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from chunk_quality.duplicates import Repetition, SharedSentence
from chunk_quality.reading import Reading
from experiments.stage_files import (
    load_strings,
    load_terms,
    load_values,
    save_strings,
    save_terms,
    save_values,
)


def save_reading(reading: Reading, folder: Path) -> None:
    """Write the sentences and terms of all chunks."""
    save_strings(reading.chunk_ids, folder, "chunk_ids")
    save_strings(reading.documents, folder, "documents")
    save_strings(reading.sentences, folder, "sentences")
    save_terms(reading.terms, folder)
    np.save(folder / "owners.npy", reading.owners)
    np.save(folder / "morphemes.npy", reading.morphemes)
    save_strings([reading.analyzer], folder, "analyzer")


def load_reading(folder: Path) -> Reading:
    """Read what `save_reading` wrote."""
    return Reading(
        chunk_ids=tuple(load_strings(folder, "chunk_ids")),
        documents=tuple(load_strings(folder, "documents")),
        sentences=tuple(load_strings(folder, "sentences")),
        terms=tuple(map(tuple, load_terms(folder))),
        owners=np.load(folder / "owners.npy"),
        analyzer=load_strings(folder, "analyzer")[0],
        morphemes=np.load(folder / "morphemes.npy"),
    )


def save_repetition(found: Repetition, folder: Path) -> None:
    """Write the groups, the shared sentences and what they fill of each chunk."""
    save_values(
        {
            "chunk_ids": found.chunk_ids,
            "exact": found.exact,
            "near": found.near,
            "copies": found.copies,
            "boilerplate": [asdict(sentence) for sentence in found.boilerplate],
            "boilerplate_characters": found.boilerplate_characters,
            "characters": found.characters,
            "blank": found.blank,
        },
        folder,
    )


def load_repetition(folder: Path) -> Repetition:
    """Read what `save_repetition` wrote."""
    values = load_values(folder)
    return Repetition(
        **values
        | {
            "chunk_ids": tuple(values["chunk_ids"]),
            "exact": tuple(map(tuple, values["exact"])),
            "near": tuple(map(tuple, values["near"])),
            "boilerplate": tuple(SharedSentence(**one) for one in values["boilerplate"]),
        }
    )
