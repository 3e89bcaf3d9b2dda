"""A language model puts the best few candidates in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, MetadataMode
from numpy.typing import NDArray

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.model_orders import Orders, Question, listwise, pointwise
from postprocessors.prompts import STAND_IN, readable
from postprocessors.score_cutoff import above_share
from postprocessors.selection import picked, query_text
from retrievers.asking import given
from retrievers.ranking import Flags, QueryPlan, Ranking

Ask = Literal["listwise", "pointwise"]


class LLMRerank(BatchPostprocessor):
    """Shows a model the best candidates of each query and puts those it chooses first.

    llm: any LlamaIndex model.
    first: so many of the best-ranked are shown at most.
    floor: of these, one whose score is below this share of the highest is not shown, where the
        highest is above 0; the best `keep` always are. 0 shows all.
    wanted: how many the model is asked to name.
    ask: "listwise", one call a query; or "pointwise", one call a candidate, which marks it.
    characters: of the query and of each passage, at most.

    No candidate is lost: behind those the model names stand the others shown and then the rest, as
    they came in. A failed call or an unreadable answer keeps the incoming order, and is counted in
    the notes of the run. Scores stay those of the step before, so they need not fall.
    """

    role: ClassVar[Role | None] = "select"

    llm: Any
    first: int = Field(default=15, ge=1)
    floor: float = Field(default=0.1, ge=0, le=1)
    keep: int = Field(default=3, ge=0)
    wanted: int = Field(default=3, ge=1)
    ask: Ask = "listwise"
    characters: int = Field(default=1500, ge=1)

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        given(self.llm, "postprocessor=llm_rerank", STAND_IN)

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """The same candidates; the order of the best few is the model's."""
        shown = self._shown(ranking)
        asked = np.flatnonzero(shown.sum(axis=1) > 1).tolist()
        columns = [np.flatnonzero(shown[row]) for row in asked]
        questions = [
            Question(
                readable(query_text(plans[row]), self.characters),
                self._passages(ranking.nodes[row, chosen], nodes),
            )
            for row, chosen in zip(asked, columns, strict=True)
        ]
        orders = self._orders(questions)
        self._notes = self._said(ranking, shown, orders.note)
        table = np.tile(np.arange(ranking.depth), (len(ranking.query_ids), 1))
        for row, chosen, positions in zip(asked, columns, orders.positions, strict=True):
            rest = np.delete(table[row], chosen)
            table[row] = np.concatenate([chosen[list(positions)], rest])
        return picked(ranking, table)

    def _shown(self, ranking: Ranking) -> Flags:
        """Which candidates the model sees, bool [q, depth]."""
        place = np.arange(ranking.depth)
        unscored = np.isnan(ranking.scores)
        reaches = unscored | above_share(ranking.scores, self.floor) | (self.floor == 0)
        return (ranking.nodes >= 0) & (place < self.first) & (reaches | (place < self.keep))

    def _passages(self, rows: NDArray[np.int32], nodes: Sequence[BaseNode]) -> list[str]:
        texts = [nodes[row].get_content(metadata_mode=MetadataMode.LLM) for row in rows]
        return [readable(text, self.characters) for text in texts]

    def _orders(self, questions: Sequence[Question]) -> Orders:
        if self.ask == "pointwise":
            return pointwise(self.llm, questions)
        return listwise(self.llm, questions, self.wanted)

    def _said(self, ranking: Ranking, shown: Flags, note: str) -> tuple[str, ...]:
        looked_at = ranking.head(self.first)
        hidden = int(looked_at.lengths().sum() - shown.sum())
        kept_back = (
            f"llm_rerank did not show {hidden} candidates below {self.floor:.0%} of the top."
        )
        return (note, kept_back) if hidden else (note,)
