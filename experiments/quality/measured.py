"""All measures of a corpus's chunks, each beside its control, each stage of them kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.schema import TextNode

from chunk_quality.control import Shuffled, folds, shuffled
from chunk_quality.reading import Reading, read, text_of
from chunk_quality.sentence_similarity import SentenceSimilarity, SimilarityScores
from chunk_quality.separation import Separation, separation
from chunk_quality.token_counts import TokenCounts, TokenSummary
from chunk_quality.topic_entropy import TopicEntropy
from chunk_quality.topic_model import entropy, normalised
from experiments.identity import describe, module_source
from experiments.quality.kept import load_reading, load_repetition, save_reading, save_repetition
from experiments.stage_files import load_values, save_values
from generation.progress import progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunk_quality.duplicates import Duplicates, Repetition
    from experiments.store import StageStore


@dataclass(frozen=True, kw_only=True)
class ChunkMeasures:
    """The parts that measure, and the seed of the control."""

    tokens: TokenCounts
    similarity: SentenceSimilarity
    topics: TopicEntropy
    duplicates: Duplicates
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What the measures say of n chunks and of the same number of shuffled ones.

    tokens, similarity, repetition: as their parts give them.  characters: int64 [n].
    topics: float64 [n, K], NaN for a chunk without a usable term.  top_terms: of each topic.
    fitted: chunks with a usable term, which the topics were learned from.
    entropy: nats [n].  evenness: entropy divided by ln K, [n], 0 = one topic, 1 = all alike.
    compared: measure -> its values on real and on shuffled chunks, [n] each. Topic entropy is
        compared by models that saw neither the chunk nor its control, so the real ones here are
        not those of `entropy`.
    separations: measure -> how well the compared values tell real chunks from shuffled ones.
    stayed: share of the sentences that the shuffling had to leave in their document.
    """

    tokens: TokenSummary
    similarity: SimilarityScores
    topics: NDArray[np.float64]
    top_terms: Sequence[Sequence[str]]
    fitted: int
    entropy: NDArray[np.float64]
    evenness: NDArray[np.float64]
    repetition: Repetition
    characters: NDArray[np.int64]
    compared: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    separations: Mapping[str, Separation]
    stayed: float

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Measure -> one value a chunk, NaN where it has none."""
        return {
            "tokens": self.tokens.counts.astype(np.float64),
            "sentence_similarity": self.similarity.values,
            "topic_entropy": self.entropy,
            "boilerplate_share": self.repetition.boilerplate_characters
            / np.maximum(self.characters, 1),
        }


HIGH_IS_COHERENT = {"sentence_similarity": True, "topic_entropy": False}
"""The measures that are held against the control, and which of their values speak for a chunk."""


@dataclass(frozen=True)
class Measuring:
    """One corpus being measured: what is asked for twice is made once.

    corpus: a JSON value of all that can change the nodes.
    """

    nodes: Sequence[TextNode]
    corpus: Any
    parts: ChunkMeasures
    store: StageStore

    def run(self) -> Measured:
        """Every measure, from the store where it stands there."""
        counts, similarity, topics = self._counts(), self._similarity(), self._topics()
        compared = {
            "tokens": (counts["real"].astype(np.float64), counts["control"].astype(np.float64)),
            "sentence_similarity": (similarity["values"], similarity["control"]),
            "topic_entropy": (topics["held_out"], topics["control"]),
        }
        ids = tuple(node.node_id for node in self.nodes)
        names = [node.ref_doc_id or node.node_id for node in self.nodes]
        _, documents = np.unique(names, return_inverse=True)
        limits = self.parts.tokens.tokenizer, self.parts.tokens.limit
        return Measured(
            tokens=TokenSummary(ids, counts["real"], *limits),
            similarity=SimilarityScores(
                ids, similarity["values"], similarity["sentences"], similarity["directed"]
            ),
            topics=topics["topics"],
            top_terms=topics["top_terms"],
            fitted=topics["fitted"],
            entropy=entropy(topics["topics"]),
            evenness=normalised(topics["topics"]),
            repetition=self._repetition(),
            characters=np.array([len(text_of(node)) for node in self.nodes], dtype=np.int64),
            compared=compared,
            separations={
                name: separation(*compared[name], higher_is_coherent=high, clusters=documents)
                for name, high in HIGH_IS_COHERENT.items()
            },
            stayed=counts["stayed"],
        )

    @cached_property
    def reading(self) -> Reading:
        """The sentences and terms of the chunks."""
        return self.store.remember(
            "reading",
            {"corpus": self.corpus, "source": module_source("chunk_quality.reading")},
            build=lambda: read(self.nodes),
            save=save_reading,
            load=load_reading,
        )

    @cached_property
    def folds(self) -> NDArray[np.int64]:
        """The half of each chunk: topics that are fitted on one are compared on the other."""
        return folds(self.reading, seed=self.parts.seed)

    @cached_property
    def shuffled(self) -> Shuffled:
        """The control: the same lengths, sentences from other documents of the same half."""
        return shuffled(self.reading, self.parts.seed, folds=self.folds)

    def _counts(self) -> dict[str, Any]:
        def build() -> dict[str, Any]:
            control = _joined(self.shuffled.reading)
            return {
                "real": self.parts.tokens.measure(self.nodes, self.reading).counts,
                "control": self.parts.tokens.measure(control, self.shuffled.reading).counts,
                "stayed": self.shuffled.stayed_share,
            }

        return self._kept("chunk_tokens", self.parts.tokens, build)

    def _similarity(self) -> dict[str, Any]:
        def build() -> dict[str, Any]:
            part = self.parts.similarity
            vectors = part.embed(self.reading, progress)
            real = part.score(self.reading, vectors)
            control = part.score(self.shuffled.reading, vectors[self.shuffled.order])
            return {
                "values": real.values,
                "sentences": real.sentences,
                "directed": real.directed,
                "control": control.values,
            }

        return self._kept("chunk_similarity", self.parts.similarity, build)

    def _topics(self) -> dict[str, Any]:
        def build() -> dict[str, Any]:
            model = self.parts.topics.fit(self.reading)
            found = {
                "topics": model.topics(self.reading),
                "top_terms": [list(terms) for terms in model.top_terms()],
                "fitted": model.n_fitted,
            }
            if len(np.unique(self.folds)) < 2:  # one document: nothing can be held out
                nothing = np.full(len(self.nodes), np.nan)
                return {**found, "held_out": nothing, "control": nothing}
            unseen = self.parts.topics.fit_held_out(self.reading, self.folds)
            return {
                **found,
                "held_out": entropy(unseen.topics(self.reading)),
                "control": entropy(unseen.topics(self.shuffled.reading)),
            }

        return self._kept("chunk_topics", self.parts.topics, build)

    def _repetition(self) -> Repetition:
        part = self.parts.duplicates
        return self.store.remember(
            "chunk_repetition",
            {"corpus": self.corpus, "part": describe(part)},
            build=lambda: part.find(self.nodes, self.reading),
            save=save_repetition,
            load=load_repetition,
        )

    def _kept(self, stage: str, part: Any, build: Any) -> dict[str, Any]:
        key = {
            "corpus": self.corpus,
            "part": describe(part),
            "seed": self.parts.seed,
            "source": module_source("experiments.quality.measured"),
        }
        return self.store.remember(stage, key, build, save_values, load_values)


def _joined(reading: Reading) -> list[TextNode]:
    """The chunks of a reading as nodes, their sentences joined by blanks."""
    texts: list[list[str]] = [[] for _ in reading.chunk_ids]
    for sentence, owner in zip(reading.sentences, reading.owners.tolist(), strict=True):
        texts[owner].append(sentence)
    return [
        TextNode(id_=name, text=" ".join(several))
        for name, several in zip(reading.chunk_ids, texts, strict=True)
    ]
