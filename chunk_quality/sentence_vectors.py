"""One vector a sentence, each different sentence embedded once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray

from chunk_quality.reading import Reading

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
    embed = _embedder(reading, embedding, texts, np.unique(rows, return_index=True)[1].tolist())
    batches = [slice(i, i + batch_size) for i in range(0, len(texts), batch_size)]
    found = [_finite(embed(batch), texts[batch]) for batch in track(batches, "embedding sentences")]
    return np.concatenate(found)[rows] if found else np.zeros((0, 0), dtype=np.float32)


def _embedder(
    reading: Reading, embedding: BaseEmbedding, texts: list[str], firsts: list[int]
) -> Callable[[slice], Vectors]:
    """What embeds a batch of the distinct texts, fitted where it has to be."""
    if not isinstance(embedding, FittedEmbedding):
        return lambda batch: np.asarray(
            embedding.get_text_embedding_batch(texts[batch]), dtype=np.float32
        )
    fitted = embedding.model_copy()
    if isinstance(fitted, TermEmbedding) and fitted.analyzer == reading.analyzer:
        terms = [reading.terms[first] for first in firsts]
        fitted.fit_terms(terms)
        return lambda batch: fitted.embed_terms(terms[batch])
    fitted.fit(texts)
    return lambda batch: np.asarray(fitted.get_text_embedding_batch(texts[batch]), dtype=np.float32)


def _finite(vectors: Vectors, texts: Sequence[str]) -> Vectors:
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise ValueError(f"The embedding of a sentence is not finite: {texts[bad[0]][:60]!r}.")
    return vectors
