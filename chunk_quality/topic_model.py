"""Latent topics of chunks: what an LDA model is fitted on, and what it makes of other chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunk_quality.reading import Reading

Topics = NDArray[np.float64]
Documents = Sequence[Sequence[str]]

BATCH = 2000
"""Chunks between two updates of the topics, gensim's default; inference goes by as many."""
ROUGH, FINE = 0.01, 0.001
"""When a chunk's shares have settled, in fitting and in inference; finer fits take longer."""


@dataclass(frozen=True)
class TermLimits:
    """Which terms a topic model knows.

    no_below: terms in fewer chunks are left out.  no_above: terms in more than this share of the
    chunks are left out.  keep_n: at most so many, those in the most chunks first.
    """

    no_below: int = 2
    no_above: float = 0.5
    keep_n: int = 100_000

    def __post_init__(self) -> None:
        if self.no_below < 1 or self.keep_n < 1:
            raise ValueError(
                f"no_below={self.no_below} and keep_n={self.keep_n}: both count from 1."
            )
        if not 0 < self.no_above <= 1:
            raise ValueError(f"no_above={self.no_above} is no share: give one above 0, up to 1.")


@dataclass(frozen=True, slots=True, eq=False)
class TopicModel:
    """A fitted LDA model.

    n_topics: K.  n_fitted: chunks with a usable term it was fitted on.  n_terms: terms it knows.
    lda, dictionary: gensim's own objects; `lda` is None where no term was usable.
    """

    n_topics: int
    n_fitted: int
    n_terms: int
    lda: Any
    dictionary: Any

    def topics(self, reading: Reading) -> Topics:
        """The topic shares of each chunk, float64 [n, K].

        A row sums to 1 and names every topic, however small. It depends on the chunk alone, not on
        the chunks beside it or on earlier calls. NaN in the row of a chunk without a known term.
        """
        return self.topics_of(documents_of(reading))

    def topics_of(self, documents: Documents) -> Topics:
        """The same for the terms of each chunk."""
        found = np.full((len(documents), self.n_topics), np.nan)
        bags = self.bags(documents)
        rows = [row for row, bag in enumerate(bags) if bag]
        for begin in range(0, len(rows), BATCH):
            batch = rows[begin : begin + BATCH]
            gamma, _ = self.lda.inference([bags[row] for row in batch])
            found[batch] = gamma
        shares: Topics = found / found.sum(axis=1, keepdims=True)
        return shares

    def known(self, reading: Reading) -> NDArray[np.int64]:
        """How many terms of each chunk the model knows, repetitions counted, int64 [n]."""
        bags = self.bags(documents_of(reading))
        return np.array([sum(count for _, count in bag) for bag in bags], dtype=np.int64)

    def bags(self, documents: Documents) -> list[list[tuple[int, int]]]:
        """(term's number, count) of each known term of each chunk."""
        return [self.dictionary.doc2bow(document) for document in documents]

    def top_terms(self, count: int = 10) -> tuple[tuple[str, ...], ...]:
        """The most probable terms of each topic, best first; none where nothing was fitted."""
        if self.lda is None:
            return ((),) * self.n_topics
        best = np.argsort(-self.lda.get_topics(), axis=1, kind="stable")[:, :count]
        return tuple(tuple(self.dictionary[int(term)] for term in row) for row in best)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutTopics:
    """One model a fold, each fitted on the chunks of the other folds.

    folds: int [n], the fold of each chunk.  models: by fold.
    """

    folds: NDArray[np.int64]
    models: Mapping[int, TopicModel]

    def topics(self, reading: Reading) -> Topics:
        """The shares [n, K] by the model that has not seen the chunk's fold.

        Rows of different folds speak of different topics: compare their entropies, not their
        columns. Raises ValueError for a reading of another number of chunks.
        """
        if len(reading.chunk_ids) != len(self.folds):
            raise ValueError(
                f"These topics were held out for {len(self.folds)} chunks, not for "
                f"{len(reading.chunk_ids)}: fit again."
            )
        documents = documents_of(reading)
        width = max((model.n_topics for model in self.models.values()), default=1)
        found = np.full((len(documents), width), np.nan)
        for fold, model in self.models.items():
            rows = np.flatnonzero(self.folds == fold)
            found[rows] = model.topics_of([documents[row] for row in rows])
        return found


def documents_of(reading: Reading) -> list[list[str]]:
    """The terms of each chunk, [n], sentence after sentence."""
    found: list[list[str]] = [[] for _ in reading.chunk_ids]
    for owner, terms in zip(reading.owners.tolist(), reading.terms, strict=True):
        found[owner].extend(terms)
    return found


def fit_topics(
    documents: Documents,
    n_topics: int,
    *,
    passes: int,
    alpha: str | float,
    seed: int,
    limits: TermLimits,
) -> TopicModel:
    """Online variational LDA (Hoffman, Blei & Bach, NIPS 2010), as gensim has it, on one core.

    The result is bit-equal for equal arguments, in any process. The chunks come in random order,
    as the method wants it: corpora are often sorted by source.
    """
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

    dictionary = Dictionary(documents)
    dictionary.filter_extremes(limits.no_below, limits.no_above, limits.keep_n)
    bags = [bag for bag in map(dictionary.doc2bow, documents) if bag]
    if not bags:
        return TopicModel(n_topics, 0, 0, None, dictionary)
    drawn = np.random.default_rng(seed).permutation(len(bags))
    lda = LdaModel(
        [bags[row] for row in drawn],
        num_topics=n_topics,
        id2word=dictionary,
        chunksize=BATCH,
        gamma_threshold=ROUGH,
        passes=passes,
        alpha=alpha,
        random_state=seed,
        minimum_probability=0.0,
        eval_every=None,
    )
    lda.random_state, lda.gamma_threshold = _LevelStart(), FINE
    return TopicModel(n_topics, len(bags), len(dictionary), lda, dictionary)


class _LevelStart:
    """Stands for gensim's random state in inference: every topic starts level.

    gensim draws a random start a chunk, so that the same chunk would differ from call to call.
    """

    def gamma(self, shape: float, scale: float, size: tuple[int, int]) -> NDArray[np.float64]:
        return np.full(size, shape * scale)


def entropy(topics: ArrayLike) -> NDArray[np.float64]:
    """Shannon's entropy of each row in nats, [n], from 0 (one topic) to ln K (all alike).

    A share of 0 adds nothing. NaN for a row of NaN. Shannon, Bell System Technical Journal, 1948.
    Raises ValueError: not two axes, a negative share, or a row that does not sum to 1.
    """
    from scipy.special import entr

    shares = np.asarray(topics, dtype=np.float64)
    if shares.ndim != 2:
        raise ValueError(f"topics must be [chunks, topics], not of shape {shares.shape}.")
    wrong = (shares < 0).any(axis=1) | (np.abs(shares.sum(axis=1) - 1) > 1e-6)
    if wrong.any():
        raise ValueError(
            f"Row {int(wrong.argmax())} of topics is no distribution: shares must be 0 or more "
            f"and sum to 1."
        )
    values: NDArray[np.float64] = np.maximum(entr(shares).sum(axis=1), 0.0)
    return values


def normalised(topics: ArrayLike) -> NDArray[np.float64]:
    """The entropy divided by ln K, [n], from 0 to 1; all NaN where K is 1, whose ln is 0."""
    shares = np.asarray(topics, dtype=np.float64)
    values = entropy(shares)
    if shares.shape[1] < 2:
        return np.full(len(values), np.nan)
    capped: NDArray[np.float64] = np.minimum(values / np.log(shares.shape[1]), 1.0)
    return capped
