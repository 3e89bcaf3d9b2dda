"""Is a chunk about one topic? The entropy of its mixture of topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.schema import BaseNode
from numpy.typing import ArrayLike, NDArray

from chunk_quality.reading import Reading, read

if TYPE_CHECKING:
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

COHERENCE = "coherence"
_LEADING = 10


@dataclass(frozen=True)
class Vocabulary:
    """Which terms the topics are made of.

    no_below: in how many chunks a term must stand at least.
    no_above: in what share of the chunks it may stand at most.
    keep: the most frequent ones that are kept.
    """

    no_below: int = 2
    no_above: float = 0.5
    keep: int = 100_000

    def of(self, texts: Sequence[Sequence[str]]) -> Dictionary:
        """The dictionary of these texts; a few texts lose no term for being rare."""
        from gensim.corpora import Dictionary

        found = Dictionary(texts)
        no_below = min(self.no_below, max(1, len(texts) // 2))
        found.filter_extremes(no_below, max(self.no_above, 1 / max(len(texts), 1)), self.keep)
        found.compactify()
        return found


@dataclass(frozen=True)
class TopicEntropy:
    """Latent Dirichlet allocation (Blei, Ng & Jordan, JMLR 2003; online by Hoffman et al. 2010).

    topics: K, or "coherence": the one of `candidates` whose topics' leading terms stand together
        most often (u_mass, Mimno et al., EMNLP 2011), which needs no corpus but this one.
    alpha: the prior of a chunk's topics, as gensim has it: "symmetric", "asymmetric" or "auto".
    One process, so a seed gives the same topics bit by bit.
    Raises ValueError: fewer than one topic or pass.
    """

    topics: int | str = 30
    passes: int = 10
    alpha: str = "symmetric"
    seed: int = 0
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    candidates: Sequence[int] = (10, 20, 30, 50, 80)

    def __post_init__(self) -> None:
        if self.topics != COHERENCE and (isinstance(self.topics, str) or self.topics < 1):
            raise ValueError(f"topics is {self.topics}: give a whole number from 1, or coherence.")
        if self.passes < 1:
            raise ValueError(f"passes is {self.passes}: give a whole number from 1.")

    def fit(self, reading: Reading) -> TopicModel:
        """Learn the topics of these chunks. A corpus without a usable term has none."""
        texts = chunk_terms(reading)
        dictionary = self.vocabulary.of(texts)
        bags = [dictionary.doc2bow(text) for text in texts]
        if not any(bags):
            return TopicModel(dictionary, None)
        if self.topics != COHERENCE:
            return TopicModel(dictionary, self._model(bags, dictionary, int(self.topics)))
        models = [self._model(bags, dictionary, count) for count in self.candidates]
        scores = [_coherence(model, bags, dictionary) for model in models]
        return TopicModel(dictionary, models[int(np.argmax(scores))])

    def measure(self, nodes: Sequence[BaseNode]) -> NDArray[np.float64]:
        """The entropy in nats of each chunk's topics, [n]; NaN without a usable term."""
        reading = read(nodes)
        return entropy(self.fit(reading).topics(reading))

    def _model(self, bags: Sequence[Any], dictionary: Dictionary, topics: int) -> LdaModel:
        from gensim.models import LdaModel

        return LdaModel(
            [bag for bag in bags if bag],
            num_topics=topics,
            id2word=dictionary,
            passes=self.passes,
            alpha=self.alpha,
            random_state=self.seed,
            minimum_probability=0.0,
            eval_every=None,
            dtype=np.float64,
        )


@dataclass(frozen=True, eq=False)
class TopicModel:
    """The topics of a corpus; model is None where it had no usable term."""

    dictionary: Dictionary
    model: LdaModel | None

    def topics(self, reading: Reading) -> NDArray[np.float64]:
        """The mixture of each chunk, [n, K], rows that sum to 1; NaN without a known term.

        A chunk's row depends on its own terms alone.
        """
        bags = [self.dictionary.doc2bow(text) for text in chunk_terms(reading)]
        count = 0 if self.model is None else int(self.model.num_topics)
        found = np.full((len(bags), count), np.nan)
        known = [row for row, bag in enumerate(bags) if bag]
        if self.model is not None and known:
            self.model.random_state = _Level()
            gamma, _ = self.model.inference([bags[row] for row in known])
            found[known] = gamma / gamma.sum(axis=1, keepdims=True)
        return found

    def top_terms(self, count: int = _LEADING) -> list[list[str]]:
        """The most probable terms of each topic."""
        if self.model is None:
            return []
        weights = self.model.get_topics()
        order = np.argsort(-weights, axis=1, kind="stable")[:, :count]
        return [[self.dictionary[term] for term in row] for row in order.tolist()]


def entropy(topics: ArrayLike) -> NDArray[np.float64]:
    """-sum of p ln p over each row of [n, K], in nats from 0 to ln K; NaN for a row of NaN."""
    shares = np.asarray(topics, dtype=np.float64)
    if not shares.shape[1]:
        return np.full(len(shares), np.nan)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    return np.clip(-(shares * logs).sum(axis=1), 0.0, np.log(shares.shape[1]))


def normalised(topics: ArrayLike) -> NDArray[np.float64]:
    """`entropy` divided by ln K, from 0 to 1; NaN where there is one topic alone."""
    found, most = entropy(topics), np.log(max(np.asarray(topics).shape[1], 1))
    return found / most if most > 0 else np.full(len(found), np.nan)


def chunk_terms(reading: Reading) -> list[list[str]]:
    """The terms of each chunk, in the order of its sentences."""
    texts: list[list[str]] = [[] for _ in reading.chunk_ids]
    for owner, terms in zip(reading.owners.tolist(), reading.terms, strict=True):
        texts[owner] += terms
    return texts


def _coherence(model: LdaModel, bags: Sequence[Any], dictionary: Dictionary) -> float:
    from gensim.models import CoherenceModel

    told = CoherenceModel(
        model=model, corpus=bags, dictionary=dictionary, coherence="u_mass", processes=1
    )
    return float(told.get_coherence())


class _Level:
    """Starts the inference of every document at the same point, in whatever order they come."""

    def gamma(self, shape: float, scale: float, size: tuple[int, ...]) -> NDArray[np.float64]:
        return np.ones(size)
