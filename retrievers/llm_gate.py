"""Is there anything here to find? Asked of a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from llama_index.core.llms import LLM

from retrievers.asking import ask
from retrievers.base import BatchRetriever
from retrievers.gate import GateDecision
from retrievers.prompts import GATE, VERSION
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking, Scores

_WORDS = re.compile(r"\b(?:search|chat)\b|검색|잡담", re.IGNORECASE)
_CHAT = {"chat", "잡담"}


class LLMGate:
    """Blocks what a model calls chat. A failed call or an unreadable answer blocks nothing.

    It reads the first text of a plan, which is the query itself where a rewriter keeps it; the
    corpus plays no part.
    llm: any LlamaIndex model.
    """

    measure = None
    """It asks nothing of the indexes."""

    def __init__(self, llm: LLM) -> None:
        if llm is None:
            raise ValueError(
                "gate=llm asks a model and there is none: add llm=openai_like, llm=openai or "
                "llm=local, or choose gate=score."
            )
        self.llm = llm

    def decide(
        self,
        plans: Sequence[QueryPlan],
        ranking: Ranking,
        retriever: BatchRetriever,
        measured: Scores | None = None,
    ) -> GateDecision:
        """The verdict on each plan; `ranking` and `retriever` are not looked at."""
        prompts = [GATE.fill(plan.texts[EVERY_PART][0]) for plan in plans]
        texts, _ = ask(self.llm, prompts, stage="gate", version=VERSION, check=_any_answer)
        verdicts = [None if text is None else is_chat(text) for text in texts]
        blocked = np.array([verdict is True for verdict in verdicts], dtype=bool)
        reasons = tuple("the model takes it for chat" if stop else "" for stop in blocked)
        note = _note(len(plans), texts.count(None), verdicts.count(None))
        return GateDecision(blocked, reasons, np.full(len(plans), np.nan), note)


def is_chat(answer: str) -> bool | None:
    """What the answer says; None where it says neither, or both."""
    said = {word.casefold() in _CHAT for word in _WORDS.findall(answer)}
    return said.pop() if len(said) == 1 else None


def _any_answer(prompt: str, answer: str) -> str:
    """Either language will do for one word."""
    return ""


def _note(asked: int, missing: int, undecided: int) -> str:
    if not undecided:
        return ""
    return (
        f"gate=llm: {undecided} of {asked} messages got no verdict ({missing} without an answer, "
        f"{undecided - missing} unreadable) and go on."
    )
