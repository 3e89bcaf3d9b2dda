"""A retriever as a reranker's stand-in: what it thinks of each candidate of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llama_index.core.schema import TextNode

from postprocessors.corpus_scorer import CorpusScorer
from retrievers.ranking import Scores


class RetrieverScorer(CorpusScorer):
    """The scores that a retriever gives its own results.

    retriever: a `BatchRetriever`, built here on the passages: give it one that nothing else uses.
    depth: how many results a query it is asked for, from 1. A passage that is none of them gets the
        lowest score of those that are, as `fuse` does; a query without results scores 0 everywhere.
    """

    def __init__(self, retriever: Any, *, depth: int = 100) -> None:
        if not (isinstance(depth, int) and depth >= 1):
            raise ValueError(f"RetrieverScorer got depth={depth}: give a whole number from 1.")
        self.retriever, self.depth = retriever, depth

    def learn(self, texts: Sequence[str]) -> None:
        self.retriever.build([TextNode(id_=str(row), text=text) for row, text in enumerate(texts)])
        self._passages = len(texts)

    def score_all(self, queries: Sequence[str]) -> Scores:
        rows, scores = self.retriever.search(queries, self.depth)
        lowest = np.min(scores, axis=1, where=rows >= 0, initial=np.inf)
        table = np.empty((len(queries), self._passages))
        table[:] = np.where(np.isinf(lowest), 0.0, lowest)[:, None]
        query, place = np.nonzero(rows >= 0)
        table[query, rows[query, place]] = scores[query, place]
        return table
