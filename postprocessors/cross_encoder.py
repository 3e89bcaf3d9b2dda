"""Every candidate is read together with the query, and scored anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.pair_scorer import FittedPairScorer
from postprocessors.selection import by_score, distinct, node_texts, query_text
from retrievers.ranking import QueryPlan, Ranking, Scores


class CrossEncoder(BatchPostprocessor):
    """Ranks by the scores of a pair scorer, and adds them to the parts for `fuse` to weigh.

    Nogueira & Cho, "Passage Re-ranking with BERT", 2019.
    scorer: a `PairScorer`; one with a `fit` is fitted on the corpus first.
    first: so many of the best-ranked candidates are scored, all others follow as they were, without
        a score. Behind a fusion of two retrievers these are the candidates of both.
    part: what its scores are called in `Ranking.parts`.
    The pairs of all queries go to the scorer in one call, each once. Ties stand in corpus order.
    """

    role: ClassVar[Role | None] = "rerank"

    scorer: Any
    first: int = Field(default=400, ge=1)
    part: str = "rerank"

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """The same candidates by their new scores.

        Raises ValueError where the part is there already, and for a score that is not finite.
        """
        if self.part in ranking.parts:
            raise ValueError(
                f"cross_encoder would add a part {self.part!r}, which another step gave: "
                "set postprocessor.cross_encoder.part to another name."
            )
        table = np.full(ranking.nodes.shape, np.nan)
        head = ranking.head(self.first)
        query, column = np.nonzero(head.nodes >= 0)
        table[query, column] = self._scores(head, plans, nodes)
        parts = {**ranking.parts, self.part: table}
        return by_score(replace(ranking, parts=parts), table)

    def _scores(
        self, head: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Scores:
        """Of all candidates, query by query."""
        rows, places = distinct(head)
        if not rows.size:
            return np.zeros(0)
        if isinstance(self.scorer, FittedPairScorer):
            self.scorer.fit(node_texts(nodes, np.arange(len(nodes))))
        asked = np.array([query_text(plan) for plan in plans], dtype=object)
        texts = np.array(node_texts(nodes, rows), dtype=object)
        query, column = np.nonzero(head.nodes >= 0)
        pairs = asked[query].tolist(), texts[places[query, column]].tolist()
        return checked(self.scorer.score_pairs(*pairs), *pairs)


def checked(scores: Any, queries: Sequence[str], texts: Sequence[str]) -> Scores:
    """The scores as float64 [n]. Raises ValueError where there are not n finite ones."""
    found = np.asarray(scores, dtype=np.float64)
    if found.shape != (len(queries),):
        raise ValueError(
            f"The pair scorer gave an array of shape {found.shape} for {len(queries)} pairs: "
            "it has to give one number a pair."
        )
    if not np.isfinite(found).all():
        bad = int(np.flatnonzero(~np.isfinite(found))[0])
        raise ValueError(
            f"The pair scorer gave {found[bad]} for the query {queries[bad][:60]!r} and the "
            f"passage {texts[bad][:60]!r}: scores have to be finite."
        )
    return found
