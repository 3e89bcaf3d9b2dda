"""Meaning and words in one score: a reranker's stand-in that needs no model of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from postprocessors.corpus_scorer import CorpusScorer
from postprocessors.similarity import embedded
from retrievers.ranking import Scores
from retrievers.score_fusion import PartRule, fuse_scores


class CosineScorer(CorpusScorer):
    """The cosine of query and passage, in [-1, 1]; 0 where one of them is blank.

    embedding: any LlamaIndex embedding; vectors that a dense retriever made are not made again.
    """

    def __init__(self, embedding: Any) -> None:
        self.embedding = embedding

    def learn(self, texts: Sequence[str]) -> None:
        self._passages = embedded(self.embedding, texts, lambda: texts)[:-1]

    def score_all(self, queries: Sequence[str]) -> Scores:
        scores = np.zeros((len(queries), len(self._passages)))
        for row, query in enumerate(queries):
            if query.strip() and self._passages.size:
                vector = np.asarray(self.embedding.get_query_embedding(query), dtype=np.float64)
                # A product of its own for each query: none depends on what else is asked.
                scores[row] = self._passages @ (vector / (np.linalg.norm(vector) or 1.0))
        return scores


class BlendedScorer(CorpusScorer):
    """A weighted sum of the z-scores that several scorers give a passage.

    parts: name -> a `CorpusScorer`.  weights: name -> its share, above 0.
    A z-score is taken over all passages of the corpus, so it does not change with the candidates;
    a query to which a part scores all passages alike gets 0 from it.
    """

    def __init__(self, parts: Mapping[str, CorpusScorer], weights: Mapping[str, float]) -> None:
        if not parts or parts.keys() != weights.keys() or min(weights.values()) <= 0:
            raise ValueError(
                f"The blended scorer got the parts {', '.join(parts) or 'none'} and the weights "
                f"{dict(weights)}: give each part a weight above 0."
            )
        self.parts, self.weights = parts, weights

    def learn(self, texts: Sequence[str]) -> None:
        for part in self.parts.values():
            part.learn(texts)

    def score_all(self, queries: Sequence[str]) -> Scores:
        tables = {name: part.score_all(queries) for name, part in self.parts.items()}
        shape = next(iter(tables.values())).shape
        rules = {name: PartRule(weight) for name, weight in self.weights.items()}
        return fuse_scores(
            tables, np.broadcast_to(np.arange(shape[1], dtype=np.int32), shape), rules
        )
