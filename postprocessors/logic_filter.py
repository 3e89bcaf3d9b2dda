"""A language model reads the best few candidates, and those with scientific errors go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, MetadataMode

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.prompts import LOGIC, STAND_IN, VERSION, readable
from postprocessors.selection import distinct, kept, node_texts
from retrievers.asking import ask, given
from retrievers.ranking import QueryPlan, Ranking
from retrievers.verdicts import verdict

_IS_FAULTY = {"error": True, "오류": True, "sound": False, "정상": False}


class LogicFilter(BatchPostprocessor):
    """Leaves out passages in which a model finds a scientific error or a contradiction.

    llm: any LlamaIndex model. It is asked about each passage once, without the query.
    first: so many of the best-ranked are read; those behind them stay unread.
    characters: of each passage, at most.

    A failed call or an unreadable answer leaves the passage in. A list of which nothing would be
    left stays as it was. The notes of the run count all of these.
    """

    role: ClassVar[Role | None] = "select"

    llm: Any
    first: int = Field(default=15, ge=1)
    characters: int = Field(default=1500, ge=1)

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        given(self.llm, "postprocessor=logic_filter", STAND_IN)

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """Each list without its faulty passages."""
        rows, places = distinct(ranking.head(self.first))
        texts = [readable(t, self.characters) for t in node_texts(nodes, rows, MetadataMode.LLM)]
        written = [place for place, text in enumerate(texts) if text]
        prompts = [LOGIC.fill(texts[place], passage=texts[place]) for place in written]
        answers, _ = ask(self.llm, prompts, stage="logic_filter", version=VERSION)
        verdicts = [None if answer is None else verdict(answer, _IS_FAULTY) for answer in answers]
        faulty = np.zeros(len(rows) + 1, dtype=np.bool_)  # the last one is no passage
        faulty[written] = [one is True for one in verdicts]
        stays = ranking.nodes >= 0
        stays[:, : places.shape[1]] &= ~faulty[places]
        emptied = (ranking.lengths() > 0) & ~stays.any(axis=1)
        after = kept(ranking, stays | emptied[:, None])
        self._notes = (_said(answers, verdicts, int(emptied.sum())),)
        return after


def _said(answers: Sequence[str | None], verdicts: Sequence[bool | None], emptied: int) -> str:
    failed, undecided = answers.count(None), verdicts.count(None)
    return (
        f"logic_filter read {len(verdicts)} passages and found {verdicts.count(True)} faulty; "
        f"{undecided} got no verdict and stay ({failed} calls failed, {undecided - failed} answers "
        f"unreadable); {emptied} lists would have been emptied and stay whole."
    )
