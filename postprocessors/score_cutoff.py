"""Candidates whose score is too low are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.selection import kept
from retrievers.ranking import Flags, QueryPlan, Ranking, Scores
from retrievers.score_fusion import Normalise, PartRule, contribution

Measure = Literal["score", "top", "normalised"]


class ScoreCutoff(BatchPostprocessor):
    """Keeps the candidates that score at least so much, in the order they stand in.

    at_least: the limit.
    measure: what it is held against. "score": the score as it is; "top": the score as a share of
        the highest one of the query, which is only cut where that is above 0; "normalised": the
        score made comparable across queries by `normalise` over the query's own list.
    part: a part of the fusion, such as "rerank"; None for the score of the ranking.
    normalise: "zscore", "minmax" or "rank", see `PartRule`; read by "normalised" alone.
    keep: so many of the best-ranked always stay.
    A candidate without a score stays: nothing speaks against it.
    """

    role: ClassVar[Role | None] = "cut"

    at_least: float = Field(default=0.1, allow_inf_nan=False)
    measure: Measure = "top"
    part: str | None = None
    normalise: Normalise = "minmax"
    keep: int = Field(default=1, ge=0)

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """Each list without what lies below the limit.

        Raises ValueError for a part that the ranking does not have.
        """
        scores = self._read(ranking)
        unscored = (ranking.nodes >= 0) & np.isnan(scores)
        best = np.arange(ranking.depth) < self.keep
        after = kept(ranking, self._reaches(scores, ranking) | unscored | best)
        self._notes = self._said(ranking, after, int(unscored.sum()))
        return after

    def _read(self, ranking: Ranking) -> Scores:
        if self.part is None:
            return ranking.scores
        if self.part not in ranking.parts:
            raise ValueError(
                f"score_cutoff reads the part {self.part!r} and the ranking has "
                f"{', '.join(ranking.parts) or 'none'}: choose one of these, or part=null."
            )
        return ranking.parts[self.part]

    def _reaches(self, scores: Scores, ranking: Ranking) -> Flags:
        with np.errstate(invalid="ignore"):
            if self.measure == "top":
                return above_share(scores, self.at_least)
            if self.measure == "normalised":
                rule = PartRule(1.0, self.normalise, "zero")
                scores = contribution(scores, ranking.nodes, rule)
            return np.asarray(scores >= self.at_least)

    def _said(self, before: Ranking, after: Ranking, unscored: int) -> tuple[str, ...]:
        cut = int((before.lengths() - after.lengths()).sum())
        said = f"score_cutoff left out {cut} of {int(before.lengths().sum())} candidates"
        return (said + (f"; {unscored} had no score and stayed." if unscored else "."),)


def above_share(scores: Scores, share: float) -> Flags:
    """Which scores are at least this share of the highest of their row, bool [q, c].

    All of a row whose highest is not above 0 are: a share of it would cut nothing or everything.
    NaN is not.
    """
    top = np.max(scores, axis=1, keepdims=True, where=~np.isnan(scores), initial=-np.inf)
    limit = np.where(top > 0, share * np.maximum(top, 0.0), -np.inf)
    return ~np.isnan(scores) & (scores >= limit)
