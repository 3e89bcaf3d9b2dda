"""Do the sentences of a chunk speak of one thing? The mean cosine of all pairs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from numpy.typing import ArrayLike, NDArray

from chunk_quality.reading import Reading, read
from chunk_quality.sentence_vectors import Track, Vectors, embed_sentences, silent

ROWS = 16_384
"""Vectors that are held in double precision at once."""


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityScores:
    """The sentence similarity of n chunks, higher is more coherent.

    values: float64 [n] in [-1, 1]; NaN where a chunk has no pair of sentences with a direction.
    sentences: int32 [n], sentences of each chunk.
    directed: int32 [n], those of them whose vector is not zero; only these make pairs.
    """

    chunk_ids: tuple[str, ...]
    values: NDArray[np.float64]
    sentences: NDArray[np.int32]
    directed: NDArray[np.int32]

    @property
    def n_scored(self) -> int:
        """Chunks with a value. The four counts of chunks add up to n."""
        return int((self.directed > 1).sum())

    @property
    def n_single(self) -> int:
        """Chunks of one sentence: nothing to compare it with."""
        return int((self.sentences == 1).sum())

    @property
    def n_empty(self) -> int:
        """Chunks without a sentence."""
        return int((self.sentences == 0).sum())

    @property
    def n_undirected(self) -> int:
        """Chunks of several sentences of which at most one has a direction."""
        return int(((self.sentences > 1) & (self.directed < 2)).sum())

    @property
    def n_zero_vectors(self) -> int:
        """Sentences, over all chunks, that the embedding gave no direction."""
        return int((self.sentences - self.directed).sum())

    @property
    def mean(self) -> float | None:
        """Over the chunks with a value; None where no chunk has one."""
        return float(np.nanmean(self.values)) if self.n_scored else None


@dataclass(frozen=True)
class SentenceSimilarity:
    """Mean cosine over all pairs of different sentences of a chunk, self-pairs left out.

    A sentence that stands twice in a chunk makes a pair with itself, of cosine 1. The pairs are
    those of the coherence measures of Foltz, Kintsch & Landauer (Discourse Processes 1998), taken
    over all sentences and not neighbours alone.

    embedding: any LlamaIndex embedding; one with `fit` (LSA) is fitted on the sentences (why: see
        `embed_sentences`).
    batch_size: sentences a call.
    Raises ValueError: no embedding, or a batch size below 1.
    """

    embedding: BaseEmbedding
    batch_size: int = 64

    def __post_init__(self) -> None:
        if not isinstance(self.embedding, BaseEmbedding):
            raise ValueError(
                f"embedding is {self.embedding!r}: give a LlamaIndex embedding, in a configuration "
                "${embedding}."
            )
        if self.batch_size < 1:
            raise ValueError(f"batch_size is {self.batch_size}: give 1 sentence a call or more.")

    def measure(
        self, nodes: Sequence[BaseNode], reading: Reading | None = None
    ) -> SimilarityScores:
        """The similarity of each chunk. reading: the nodes as `read` returns them, if known."""
        known = read(nodes) if reading is None else reading
        return self.score(known, self.embed(known))

    def score(self, reading: Reading, vectors: Vectors) -> SimilarityScores:
        """The similarity of each chunk, from one vector a sentence [s, d]."""
        n_chunks = len(reading.chunk_ids)
        alive = np.any(vectors, axis=1)
        return SimilarityScores(
            chunk_ids=reading.chunk_ids,
            values=mean_pair_cosine(vectors, reading.owners, n_chunks),
            sentences=np.bincount(reading.owners, minlength=n_chunks).astype(np.int32),
            directed=np.bincount(reading.owners[alive], minlength=n_chunks).astype(np.int32),
        )

    def embed(self, reading: Reading, track: Track = silent) -> Vectors:
        """One vector a sentence [s, d]; see `embed_sentences`. track: shows progress."""
        return embed_sentences(reading, self.embedding, self.batch_size, track)


def mean_pair_cosine(vectors: ArrayLike, owners: ArrayLike, n_chunks: int) -> NDArray[np.float64]:
    """The mean cosine of all pairs of different rows of each chunk, float64 [n_chunks].

    vectors: [s, d], of any length; a zero vector has no direction and makes no pair.
    owners: int [s], the chunk (0 to n_chunks - 1) of each vector, in any order.
    NaN for a chunk with fewer than two directions. With m unit vectors u it is
    (|sum of u|^2 - m) / (m (m - 1)), so time grows with s, not with the number of pairs.
    Raises ValueError: the shapes do not fit, an owner is out of range, a number is not finite.
    """
    rows, chunks = np.asarray(vectors), np.asarray(owners)
    _check(rows, chunks, n_chunks)
    sums = np.zeros((n_chunks, rows.shape[1]))
    squares, counts = np.zeros(n_chunks), np.zeros(n_chunks)
    for begin in range(0, len(rows), ROWS):
        units, alive = _units(rows[begin : begin + ROWS])
        owner = chunks[begin : begin + ROWS][alive]
        _add_segments(sums, units, owner)
        squares += np.bincount(owner, _squares(units), minlength=n_chunks)
        counts += np.bincount(owner, minlength=n_chunks)
    pairs = counts * (counts - 1)
    found = np.full(n_chunks, np.nan)
    np.divide(_squares(sums) - squares, pairs, out=found, where=pairs > 0)
    return np.clip(found, -1.0, 1.0, out=found)


def _units(rows: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The rows that are not zero, at length 1, and which they are."""
    wide = rows.astype(np.float64)
    largest = np.maximum(wide.max(axis=1, initial=0.0), -wide.min(axis=1, initial=0.0))
    alive = largest > 0
    if not alive.all():
        wide, largest = wide[alive], largest[alive]
    wide /= largest[:, None]  # squares can neither overflow nor vanish
    wide /= np.sqrt(_squares(wide))[:, None]
    return wide, alive


def _squares(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The squared length of each row."""
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", rows, rows)
    return squares


def _add_segments(sums: NDArray[Any], units: NDArray[Any], owner: NDArray[Any]) -> None:
    """Add each row to the sum of its owner, run by run of equal owners."""
    if len(owner):
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        np.add.at(sums, owner[starts], np.add.reduceat(units, starts, axis=0))


def _check(rows: NDArray[Any], chunks: NDArray[Any], n_chunks: int) -> None:
    if rows.ndim != 2 or chunks.shape != rows.shape[:1]:
        raise ValueError(
            f"vectors {rows.shape} and owners {chunks.shape} do not fit: give [s, d] and [s]."
        )
    if len(chunks) and not (chunks.min() >= 0 and chunks.max() < n_chunks):
        raise ValueError(f"owners must lie between 0 and {n_chunks - 1}, the chunks there are.")
    if not np.isfinite(rows).all():
        raise ValueError("vectors must be finite: leave out or mend the rows that are not.")
