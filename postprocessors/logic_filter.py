"""A language model reads the best few candidates, and those with scientific errors go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, MetadataMode

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.prompts import LOGIC, VERSION, any_answer, given, readable
from postprocessors.selection import distinct, kept, node_texts
from retrievers.asking import ask
from retrievers.ranking import QueryPlan, Ranking

_WORDS = re.compile(r"\b(?:error|sound)\b|오류|정상", re.IGNORECASE)
_ERROR = {"error", "오류"}


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
        given(self.llm, "logic_filter")

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """Each list without its faulty passages."""
        rows, places = distinct(ranking.head(self.first))
        texts = [readable(t, self.characters) for t in node_texts(nodes, rows, MetadataMode.LLM)]
        written = [place for place, text in enumerate(texts) if text]
        prompts = [LOGIC.fill(texts[place], passage=texts[place]) for place in written]
        answers, _ = ask(self.llm, prompts, stage="logic_filter", version=VERSION, check=any_answer)
        verdicts = [None if answer is None else is_faulty(answer) for answer in answers]
        faulty = np.zeros(len(rows) + 1, dtype=np.bool_)  # the last one is no passage
        faulty[written] = [verdict is True for verdict in verdicts]
        stays = ranking.nodes >= 0
        stays[:, : places.shape[1]] &= ~faulty[places]
        emptied = (ranking.lengths() > 0) & ~stays.any(axis=1)
        after = kept(ranking, stays | emptied[:, None])
        self._notes = (_said(answers, verdicts, int(emptied.sum())),)
        return after


def is_faulty(answer: str) -> bool | None:
    """What the answer says; None where it says neither, or both."""
    said = {word.casefold() in _ERROR for word in _WORDS.findall(answer)}
    return said.pop() if len(said) == 1 else None


def _said(answers: Sequence[str | None], verdicts: Sequence[bool | None], emptied: int) -> str:
    failed, undecided = answers.count(None), verdicts.count(None)
    return (
        f"logic_filter read {len(verdicts)} passages and found {verdicts.count(True)} faulty; "
        f"{undecided} got no verdict and stay ({failed} calls failed, {undecided - failed} answers "
        f"unreadable); {emptied} lists would have been emptied and stay whole."
    )
