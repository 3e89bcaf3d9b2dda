"""All measures of a corpus's chunks, each beside its control, each stage of them kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.schema import TextNode

from chunk_quality.control import Separation, Shuffled, separation, shuffled
from chunk_quality.reading import Reading, read, text_of
from chunk_quality.sentence_similarity import SentenceSimilarity, SimilarityScores
from chunk_quality.token_counts import TokenCounts, TokenSummary
from chunk_quality.topic_entropy import TopicEntropy, entropy, normalised
from experiments.identity import describe, module_source
from experiments.progress import progress
from experiments.quality.kept import load_reading, load_repetition, save_reading, save_repetition
from experiments.stage_files import load_values, save_values

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
    entropy: nats [n].  evenness: entropy divided by ln K, [n], 0 = one topic, 1 = all alike.
    control: measure -> its values on the shuffled chunks, [n].
    separations: measure -> how well its values tell real chunks from shuffled ones.
    stayed: sentences that the shuffling had to leave in their document.
    """

    tokens: TokenSummary
    similarity: SimilarityScores
    topics: NDArray[np.float64]
    top_terms: Sequence[Sequence[str]]
    entropy: NDArray[np.float64]
    evenness: NDArray[np.float64]
    repetition: Repetition
    characters: NDArray[np.int64]
    control: Mapping[str, NDArray[np.float64]]
    separations: Mapping[str, Separation]
    stayed: int

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Measure -> one value a chunk, NaN where it has none."""
        return {
            "tokens": self.tokens.counts.astype(np.float64),
            "sentence_similarity": self.similarity.values,
            "topic_entropy": self.entropy,
            "boilerplate_share": self.repetition.boilerplate_characters
            / np.maximum(self.characters, 1),
        }


COHERENT_WHEN = {"sentence_similarity": "high", "topic_entropy": "low"}
"""The measures with a control, and which of their values speak for a chunk."""


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
        real, control = topics["topics"], topics["control"]
        measured = {
            "sentence_similarity": (similarity["values"], similarity["control"]),
            "topic_entropy": (entropy(real), entropy(control)),
        }
        ids = tuple(node.node_id for node in self.nodes)
        return Measured(
            tokens=TokenSummary(
                ids, counts["real"], self.parts.tokens.tokenizer, self.parts.tokens.limit
            ),
            similarity=SimilarityScores(
                ids, similarity["values"], similarity["sentences"], similarity["directed"]
            ),
            topics=real,
            top_terms=topics["top_terms"],
            entropy=measured["topic_entropy"][0],
            evenness=normalised(real),
            repetition=self._repetition(),
            characters=np.array([len(text_of(node)) for node in self.nodes], dtype=np.int64),
            control={"tokens": counts["control"]}
            | {name: values for name, (_, values) in measured.items()},
            separations={
                name: separation(*values, coherent=COHERENT_WHEN[name], seed=self.parts.seed)
                for name, values in measured.items()
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
    def shuffled(self) -> Shuffled:
        """The control: the same lengths, sentences from anywhere."""
        return shuffled(self.reading, self.parts.seed)

    def _counts(self) -> dict[str, Any]:
        def build() -> dict[str, Any]:
            control = _joined(self.shuffled.reading)
            return {
                "real": self.parts.tokens.measure(self.nodes, self.reading).counts,
                "control": self.parts.tokens.measure(control, self.shuffled.reading).counts,
                "stayed": int(self.shuffled.stayed),
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
            return {
                "topics": model.topics(self.reading),
                "control": model.topics(self.shuffled.reading),
                "top_terms": [list(terms) for terms in model.top_terms()],
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
