"""Is there anything here to find? Asked of a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from llama_index.core.llms import LLM

from retrievers.asking import ask, given
from retrievers.base import BatchRetriever
from retrievers.gate import GateDecision
from retrievers.prompts import GATE, VERSION
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking, Scores
from retrievers.verdicts import verdict

_IS_CHAT = {"chat": True, "잡담": True, "search": False, "검색": False}


class LLMGate:
    """Blocks what a model calls chat. A failed call or an unreadable answer blocks nothing.

    It reads the first text of a plan, which is the query itself where a rewriter keeps it; the
    corpus plays no part.
    llm: any LlamaIndex model.
    """

    measure = None
    """It asks nothing of the indexes."""

    def __init__(self, llm: LLM) -> None:
        self.llm = given(llm, "gate=llm", ", or choose gate=score")

    def decide(
        self,
        plans: Sequence[QueryPlan],
        ranking: Ranking,
        retriever: BatchRetriever,
        measured: Scores | None = None,
    ) -> GateDecision:
        """The verdict on each plan; `ranking` and `retriever` are not looked at."""
        messages = [plan.texts[EVERY_PART][0] for plan in plans]
        prompts = [GATE.fill(message, message=message) for message in messages]
        texts, _ = ask(self.llm, prompts, stage="gate", version=VERSION)
        verdicts = [None if text is None else verdict(text, _IS_CHAT) for text in texts]
        blocked = np.array([one is True for one in verdicts], dtype=bool)
        reasons = tuple("the model takes it for chat" if stop else "" for stop in blocked)
        note = _note(len(plans), texts.count(None), verdicts.count(None))
        return GateDecision(blocked, reasons, np.full(len(plans), np.nan), note)


def _note(asked: int, missing: int, undecided: int) -> str:
    if not undecided:
        return ""
    return (
        f"gate=llm: {undecided} of {asked} messages got no verdict ({missing} without an answer, "
        f"{undecided - missing} unreadable) and go on."
    )
