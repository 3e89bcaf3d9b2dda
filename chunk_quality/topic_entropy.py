"""Does a chunk keep to one topic? The entropy of its topics, by latent Dirichlet allocation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from llama_index.core.schema import BaseNode
from numpy.typing import ArrayLike, NDArray

from chunk_quality.reading import Reading, read
from chunk_quality.topic_coherence import most_coherent
from chunk_quality.topic_model import (
    HeldOutTopics,
    TermLimits,
    TopicModel,
    Topics,
    documents_of,
    entropy,
    fit_topics,
    normalised,
)

COHERENCE = "coherence"
PRIORS = ("symmetric", "asymmetric", "auto")


@dataclass(frozen=True, slots=True, eq=False)
class TopicScores:
    """The topics of n chunks; a low entropy is coherent.

    topics: float64 [n, K], rows sum to 1; NaN for a chunk without a term the model knows.
    terms: int64 [n], terms of each chunk that the model knows, repetitions counted.
    """

    chunk_ids: tuple[str, ...]
    topics: Topics
    terms: NDArray[np.int64]

    @property
    def values(self) -> NDArray[np.float64]:
        """The entropy of each chunk in nats, [n], from 0 to ln K."""
        return entropy(self.topics)

    @property
    def normalised(self) -> NDArray[np.float64]:
        """The entropy over ln K, [n], from 0 to 1; all NaN with a single topic."""
        return normalised(self.topics)

    @property
    def n_scored(self) -> int:
        """Chunks with a value."""
        return int((~np.isnan(self.topics[:, 0])).sum())

    @property
    def n_without_terms(self) -> int:
        """Chunks without a term that the model knows: no value. With n_scored they add up to n."""
        return len(self.chunk_ids) - self.n_scored

    @property
    def mean(self) -> float | None:
        """The mean entropy in nats over the chunks with a value; None where no chunk has one."""
        return float(np.nanmean(self.values)) if self.n_scored else None


@dataclass(frozen=True, kw_only=True)
class TopicEntropy:
    """Topics by LDA (Blei, Ng & Jordan, JMLR 2003) over the analysed terms of each chunk.

    topics: K, or "coherence": the K among `candidates` whose topics hang together most (see
        `topic_coherence`); that fits one model a candidate.
    passes: over the corpus.
    alpha: the prior of a chunk's topics: "symmetric" (1/K each), "asymmetric", "auto" (learned)
        or one number for all topics.
    limits: which terms count.
    The prior weighs more in a chunk of few terms, which is pulled towards it (even topics with a
    symmetric alpha), so compare chunks of like length.
    Raises ValueError: K or passes below 1, no candidate, an unknown or non-positive alpha.
    """

    topics: int | str = 30
    passes: int = 10
    alpha: str | float = "symmetric"
    seed: int = 0
    limits: TermLimits = field(default_factory=TermLimits)
    candidates: Sequence[int] = (10, 20, 30, 50)

    def __post_init__(self) -> None:
        counts = self.candidates if self.topics == COHERENCE else [self.topics]
        if not counts or not all(_whole(count) for count in counts):
            raise ValueError(
                f"topics={self.topics} (candidates={list(self.candidates)}): give whole numbers "
                f'from 1, or topics: "{COHERENCE}" and a list of candidates.'
            )
        if not _whole(self.passes):
            raise ValueError(f"passes={self.passes}: give a whole number from 1.")
        if isinstance(self.alpha, str) and self.alpha not in PRIORS:
            raise ValueError(f"alpha={self.alpha}: choose {', '.join(PRIORS)} or a number above 0.")
        if not isinstance(self.alpha, str) and not 0 < self.alpha < np.inf:
            raise ValueError(f"alpha={self.alpha}: a number must be above 0.")

    def measure(self, nodes: Sequence[BaseNode], reading: Reading | None = None) -> TopicScores:
        """The topics of each chunk by a model of these chunks.

        reading: the nodes as `read` returns them, if known.
        """
        known = read(nodes) if reading is None else reading
        return self.score(self.fit(known), known)

    def score(self, model: TopicModel, reading: Reading) -> TopicScores:
        """The topics of each chunk by a fitted model."""
        return TopicScores(reading.chunk_ids, model.topics(reading), model.known(reading))

    def fit(self, reading: Reading) -> TopicModel:
        """A model of all chunks."""
        documents = documents_of(reading)
        if self.topics != COHERENCE:
            return self._fit(documents, int(self.topics))
        return most_coherent([self._fit(documents, k) for k in self.candidates], documents)

    def fit_held_out(self, reading: Reading, folds: ArrayLike) -> HeldOutTopics:
        """Models by which every chunk is scored unseen. folds: int [n], see `control.folds`.

        A model has learned which terms stood together in the chunks it was fitted on, by accident
        or not, and finds them coherent: even chunks of random sentences look better than others.
        A comparison with a control is only fair between chunks that the model has not seen.
        Raises ValueError: folds of another length, or fewer than two of them.
        """
        fold_of = np.asarray(folds)
        names = np.unique(fold_of)
        if fold_of.shape != (len(reading.chunk_ids),) or len(names) < 2:
            raise ValueError(
                f"folds must name one of at least two folds for each of the "
                f"{len(reading.chunk_ids)} chunks, not be {len(names)} fold(s) of shape "
                f"{fold_of.shape}."
            )
        documents = documents_of(reading)
        chosen = self.fit(reading).n_topics if self.topics == COHERENCE else int(self.topics)
        models = {}
        for name in names.tolist():
            rest = [documents[row] for row in np.flatnonzero(fold_of != name)]
            models[name] = self._fit(rest, chosen)
        return HeldOutTopics(fold_of, models)

    def _fit(self, documents: Sequence[Sequence[str]], n_topics: int) -> TopicModel:
        return fit_topics(
            documents,
            n_topics,
            passes=self.passes,
            alpha=self.alpha,
            seed=self.seed,
            limits=self.limits,
        )


def _whole(count: object) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and count >= 1
