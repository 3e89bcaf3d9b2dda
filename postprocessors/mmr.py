"""The best few, each unlike those before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode
from numpy.typing import NDArray

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.selection import Columns, distinct, node_texts, picked
from postprocessors.similarity import embedded, term_similarity
from retrievers.ranking import QueryPlan, Ranking, Scores


class MMR(BatchPostprocessor):
    """Maximal marginal relevance: again and again the candidate that is relevant and unlike
    those taken before it.

    Carbonell & Goldstein, SIGIR 1998: the next one has the highest
    relevance * share - (1 - share) * (its highest similarity to one already taken).
    share: their lambda, 0 to 1; 1 keeps the order.
    first: so many of the best-ranked are ordered anew, all others follow as they were.
    embedding: a LlamaIndex embedding, similarity is the cosine of its vectors; None: of the
        counts of terms, 1 + ln(tf).
    analyzer: which terms.

    Relevance is the place in the list, from 1 for the first to 1/n for the last of n, so that no
    scale of scores plays a part (scores may tie or be missing). A tie goes to the better-ranked.
    """

    role: ClassVar[Role | None] = "select"

    share: float = Field(default=0.7, ge=0, le=1)
    first: int = Field(default=50, ge=1)
    embedding: Any = None
    analyzer: str = "auto"

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """The same candidates in another order."""
        head = ranking.head(self.first)
        rows, places = distinct(head)
        alike = self._similarities(nodes, rows, places)
        order = greedy_order(head.lengths(), alike, self.share)
        columns = np.tile(np.arange(ranking.depth), (len(ranking.query_ids), 1))
        columns[:, : head.depth] = order
        return picked(ranking, columns)

    def _similarities(
        self, nodes: Sequence[BaseNode], rows: NDArray[np.intp], places: Columns
    ) -> Scores:
        """Of each two candidates of a query, [q, c, c]."""
        texts = node_texts(nodes, rows)
        if self.embedding is None:
            return term_similarity(texts, places, self.analyzer)
        vectors = embedded(self.embedding, texts, lambda: node_texts(nodes, np.arange(len(nodes))))
        chosen = vectors[places]
        alike: Scores = np.einsum("qid,qjd->qij", chosen, chosen)
        return alike


def greedy_order(lengths: NDArray[np.int64], alike: Scores, share: float) -> Columns:
    """The columns of each query in the order they are taken, [q, c]; padding stays at the end.

    lengths: how many candidates each query has.  alike: [q, c, c].
    """
    queries, width = alike.shape[:2]
    every, place = np.arange(queries), np.arange(width)
    relevance = 1.0 - place / np.maximum(lengths, 1)[:, None]
    open_ones = place < lengths[:, None]
    closest: Scores = np.zeros((queries, width))
    order = np.tile(place, (queries, 1))
    for step in range(width):
        value = share * relevance - (1 - share) * closest
        best = np.where(open_ones, value, -np.inf).argmax(axis=1)
        alive = step < lengths
        order[alive, step] = best[alive]
        open_ones[every, best] = False
        latest = alike[every, best]
        closest = latest if step == 0 else np.maximum(closest, latest)
    return order
