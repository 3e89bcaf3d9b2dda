"""Queries that a model rewrites before they are searched.

A query whose call fails is searched by its own words, and the notes of the run say how many are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from llama_index.core.llms import LLM

from retrievers.asking import ask
from retrievers.prompts import (
    DECOMPOSE,
    HYDE,
    MULTI_QUERY,
    STANDALONE,
    VERSION,
    Prompt,
    in_its_language,
)
from retrievers.queries import AllUserTurns, Message
from retrievers.ranking import EVERY_PART, QueryPlan

_BULLET = re.compile(r"^\s*(?:[-*•]+|\(?\d{1,2}[.):])\s+")
_LABEL = re.compile(
    r"^\W*(?:(?:standalone |rewritten )?question|passage|query|질문|문단|질의)\W*[:：]\W*", re.I
)
_QUOTES = "\"'“”‘’`*"


class Planner(Protocol):
    """Anything that says what to search for."""

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]: ...


class Standalone:
    """The conversation as one question; a message without a history is left as it is.

    llm: any LlamaIndex model.
    of: what is searched where the model does not answer.
    feeds: the parts of the retriever that read the question; None for all of them.
    """

    def __init__(
        self, llm: LLM, *, of: Planner | None = None, feeds: Sequence[str] | None = None
    ) -> None:
        self.llm, self.of, self.feeds = _given(llm, "standalone"), of or AllUserTurns(), feeds
        self.notes: tuple[str, ...] = ()

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]:
        plans = self.of.plan(queries)
        asked = [place for place, query in enumerate(queries) if query.history]
        prompts = [_standalone(queries[place]) for place in asked]
        texts, missing = _asked(self.llm, prompts, "standalone")
        self.notes = (*getattr(self.of, "notes", ()), *_notes("standalone", len(asked), missing))
        for place, text in zip(asked, texts, strict=True):
            if text is not None:
                plans[place] = _fed(plans[place], (_bare(text),), self.feeds)
        return plans


class _Expansion:
    """What a model makes of the text of each plan, beside it or in its place."""

    stage: str
    prompt: Prompt

    def __init__(
        self,
        llm: LLM,
        *,
        of: Planner | None = None,
        feeds: Sequence[str] | None = None,
        keep_query: bool = True,
        count: int = 1,
    ) -> None:
        if count < 1:
            raise ValueError(f"query={self.stage} got count={count}: give 1 or more.")
        self.llm, self.of, self.feeds = _given(llm, self.stage), of or AllUserTurns(), feeds
        self.keep_query, self.count = keep_query, count
        self.notes: tuple[str, ...] = ()

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]:
        plans = self.of.plan(queries)
        own = [plan.texts[EVERY_PART] for plan in plans]
        prompts = [self.prompt.fill("\n".join(texts), count=self.count) for texts in own]
        said, missing = _asked(self.llm, prompts, self.stage)
        self.notes = (*getattr(self.of, "notes", ()), *_notes(self.stage, len(plans), missing))
        return [
            plan if text is None else self._expanded(plan, texts, text)
            for plan, texts, text in zip(plans, own, said, strict=True)
        ]

    def read(self, text: str) -> list[str]:
        """The texts to search for in an answer."""
        lines = [_bare(_BULLET.sub("", line)) for line in text.splitlines()]
        return [line for line in lines if line and not line.endswith((":", "："))][: self.count]

    def _expanded(self, plan: QueryPlan, own: Sequence[str], text: str) -> QueryPlan:
        kept = own if self.keep_query else ()
        texts = tuple(dict.fromkeys([*kept, *self.read(text)]))
        return _fed(plan, texts or tuple(own), self.feeds)


class Hyde(_Expansion):
    """A passage that would answer the query is searched for (HyDE).

    Gao, Ma, Lin & Callan, "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023.
    There the vectors of several passages and of the query are averaged; here one passage and the
    query, where `keep_query`, are searched apart and fused by their ranks.

    llm, feeds: as for `Standalone`.  of: makes the query that the passage answers.
    """

    stage, prompt = "hyde", HYDE

    def __init__(
        self,
        llm: LLM,
        *,
        of: Planner | None = None,
        feeds: Sequence[str] | None = None,
        keep_query: bool = True,
    ) -> None:
        super().__init__(llm, of=of, feeds=feeds, keep_query=keep_query)

    def read(self, text: str) -> list[str]:
        passage = _bare(text)
        return [passage] if passage else []


class MultiQuery(_Expansion):
    """Several wordings of the query, searched apart and fused by their ranks.

    count: how many are asked for.  keep_query: the query itself is one more.
    llm, of, feeds: as for `Hyde`.
    """

    stage, prompt = "multi_query", MULTI_QUERY


class Decompose(_Expansion):
    """The parts of a question that asks several things, searched apart and fused by their ranks.

    count: how many parts at most.  llm, of, feeds, keep_query: as for `MultiQuery`.
    """

    stage, prompt = "decompose", DECOMPOSE


def _given(llm: LLM | None, stage: str) -> LLM:
    if llm is None:
        raise ValueError(
            f"query={stage} asks a model and there is none: add llm=openai_like, llm=openai or "
            "llm=local."
        )
    return llm


def _asked(llm: LLM, prompts: Sequence[str], stage: str) -> tuple[list[str | None], Counter[str]]:
    return ask(llm, prompts, stage=stage, version=VERSION, check=in_its_language)


def _notes(stage: str, asked: int, missing: Mapping[str, int]) -> list[str]:
    if not missing:
        return []
    reasons = "; ".join(f"{count}: {reason}" for reason, count in missing.items())
    return [
        f"query={stage}: {sum(missing.values())} of {asked} answers cannot be used ({reasons}); "
        "these queries are searched by their own words."
    ]


def _fed(plan: QueryPlan, texts: tuple[str, ...], feeds: Sequence[str] | None) -> QueryPlan:
    """The plan with other texts for the parts that read them."""
    if feeds is None:
        return QueryPlan(plan.id, {EVERY_PART: texts})
    return QueryPlan(plan.id, {**plan.texts, **dict.fromkeys(feeds, texts)})


def _standalone(query: Message) -> str:
    """The prompt, in the language of the turn to answer."""
    turns = [f"{turn.role}: {turn.text}" for turn in query.history]
    conversation = "\n".join([*turns, f"user: {query.text}"])
    return STANDALONE.fill(conversation, like=query.text)


def _bare(text: str) -> str:
    """An answer without the label and the quotes that models put around it."""
    return _LABEL.sub("", text.strip()).strip().strip(_QUOTES).strip()
