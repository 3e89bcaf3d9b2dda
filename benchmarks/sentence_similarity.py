"""Sentence similarity side by side with the obvious loop over documents.

    python -m benchmarks.sentence_similarity [--documents FILE] [--rounds 5]

The loop asks the embedding once a document and takes scikit-learn's `cosine_similarity` of its
sentences without the diagonal. Ours embeds every different sentence once, in batches, and adds up
unit vectors. Both get the same sentences, split beforehand, and the same embedding:

1. LSA, fitted beforehand. The loop has it analyse each text; ours hands it the terms that were
   read with the sentences.
2. Vectors kept by text: what is left when embedding costs nothing.

FILE is JSON Lines with `content` or `text`; the bundled sample is the default. Medians over
alternating rounds; the garbage collector is off while a clock runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import TextNode
from numpy.typing import NDArray

from benchmarks.alternating import alternate
from chunk_quality.reading import Reading, read
from chunk_quality.sentence_similarity import SentenceSimilarity
from retrievers.local_embedding import LocalEmbedding, Vectors
from retrievers.lsa import LsaEmbedding

SAMPLE = Path(__file__).parents[1] / "data" / "science_sample" / "documents.jsonl"


class FittedBeforehand(LocalEmbedding):
    """An LSA that knows its corpus and is not fitted again."""

    lsa: LsaEmbedding
    analyzer: str = "auto"

    def fit(self, texts: Sequence[str]) -> None:
        """It is."""

    def fit_terms(self, terms: Sequence[Sequence[str]]) -> None:
        """It is."""

    def embed_terms(self, terms: Sequence[Sequence[str]]) -> Vectors:
        return self.lsa.embed_terms(terms)

    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        return self.lsa._vectors(texts, queries=queries)


class VectorsByText(LocalEmbedding):
    """Vectors that are there already."""

    vectors: Mapping[str, Any]

    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def obvious_loop(reading: Reading, embedding: BaseEmbedding) -> NDArray[np.float64]:
    """One embed call and one similarity matrix a document."""
    from sklearn.metrics.pairwise import cosine_similarity

    sentences: list[list[str]] = [[] for _ in reading.chunk_ids]
    for owner, sentence in zip(reading.owners, reading.sentences, strict=True):
        sentences[owner].append(sentence)
    means = []
    for texts in sentences:
        if len(texts) < 2:
            means.append(np.nan)
            continue
        cosines = cosine_similarity(np.array(embedding.get_text_embedding_batch(texts)))
        means.append(cosines[~np.eye(len(texts), dtype=bool)].mean())
    return np.array(means)


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=Path, default=SAMPLE)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    with options.documents.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    nodes = [TextNode(text=record.get("content") or record["text"]) for record in records]
    reading = read(nodes)
    lsa = LsaEmbedding()
    lsa.fit(reading.sentences)
    fitted = FittedBeforehand(lsa=lsa)
    vectors = lsa.embed_terms(reading.terms)
    stored = VectorsByText(vectors=dict(zip(reading.sentences, vectors, strict=True)))
    print(f"{len(nodes)} documents, {len(reading.sentences)} sentences, {options.rounds} rounds")
    for title, embedding in (("LSA", fitted), ("vectors by text", stored)):
        part = SentenceSimilarity(embedding)
        alternate(
            title,
            lambda embedding=embedding: obvious_loop(reading, embedding),  # type: ignore[misc]
            lambda part=part: part.score(reading, part.embed(reading)).values,  # type: ignore[misc]
            options.rounds,
        )


if __name__ == "__main__":
    main()
