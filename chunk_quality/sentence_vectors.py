"""One vector a sentence, each different sentence embedded once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray

from chunk_quality.reading import Reading

TERM_BATCH = 8_192
"""Sentences a call where their terms are known: the work is one sparse matrix product."""

Vectors = NDArray[np.float32]
Track = Callable[[Sequence[slice], str], Iterable[slice]]
"""Shows progress: takes (batches, label) and hands the batches on."""


@runtime_checkable
class FittedEmbedding(Protocol):
    """An embedding that has to see the corpus before it can embed."""

    def fit(self, texts: Sequence[str]) -> None: ...


@runtime_checkable
class TermEmbedding(Protocol):
    """A fitted embedding that reads the terms of a named analyzer and nothing else."""

    analyzer: str

    def fit_terms(self, terms: Sequence[Sequence[str]]) -> None: ...
    def embed_terms(self, terms: Sequence[Sequence[str]]) -> Vectors: ...


@runtime_checkable
class ArrayEmbedding(Protocol):
    """An embedding that hands its vectors out as one array, not as a list of numbers a text."""

    def embed_texts(self, texts: list[str]) -> Vectors: ...


def silent(batches: Sequence[slice], label: str) -> Iterable[slice]:
    """The batches, without a word."""
    return batches


def embed_sentences(
    reading: Reading, embedding: BaseEmbedding, batch_size: int = 64, track: Track = silent
) -> Vectors:
    """The vectors of a reading's sentences, float32 [s, d], not normalised.

    embedding: any LlamaIndex embedding. One with `fit` (LSA) learns from a copy, so the one handed
        in stays as it is. It is fitted on the sentences: fitted on the chunks, it would learn what
        stands together and find it again. Where it reads the very terms of the reading, nothing is
        analysed again.
    batch_size: sentences a call; the embedding may cut them into smaller ones.
    Raises ValueError where the embedding gives a number that is not finite.
    """
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in reading.sentences]
    texts = list(places)
    firsts = np.unique(rows, return_index=True)[1]
    embed, size = _embedder(embedding, reading, texts, [reading.terms[i] for i in firsts])
    size = size or batch_size
    batches = [slice(begin, begin + size) for begin in range(0, len(texts), size)]
    found = [_finite(embed(batch), texts[batch]) for batch in track(batches, "embedding sentences")]
    return np.concatenate(found)[rows] if found else np.zeros((0, 0), dtype=np.float32)


def _embedder(
    embedding: BaseEmbedding, reading: Reading, texts: list[str], terms: list[tuple[str, ...]]
) -> tuple[Callable[[slice], Vectors], int | None]:
    """What embeds a batch of the distinct texts, fitted where it has to be; its own batch size."""
    model = embedding
    if isinstance(embedding, FittedEmbedding):
        model = embedding.model_copy()
        if isinstance(model, TermEmbedding) and model.analyzer == reading.analyzer:
            model.fit_terms(terms)
            return lambda batch: model.embed_terms(terms[batch]), TERM_BATCH
        model.fit(texts)
    if isinstance(model, ArrayEmbedding):
        return lambda batch: model.embed_texts(texts[batch]), None
    return lambda batch: np.asarray(
        model.get_text_embedding_batch(texts[batch]), dtype=np.float32
    ), None


def _finite(vectors: Vectors, texts: Sequence[str]) -> Vectors:
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise ValueError(f"The embedding of a sentence is not finite: {texts[bad[0]][:60]!r}.")
    return vectors
