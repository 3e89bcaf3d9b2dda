"""Queries that a model rewrites before they are searched.

A query whose call fails is searched by its own words, and the notes of the run say how many are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from llama_index.core.llms import LLM

from retrievers.asking import ask, given
from retrievers.language import Prompt
from retrievers.prompts import (
    DECOMPOSE,
    HYDE,
    MULTI_QUERY,
    STANDALONE,
    VERSION,
    unusable,
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
        self.llm, self.of, self.feeds = given(llm, "query=standalone"), of or AllUserTurns(), feeds
        self.notes: tuple[str, ...] = ()

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]:
        plans = self.of.plan(queries)
        asked = [place for place, query in enumerate(queries) if query.history]
        prompts = [_standalone(queries[place]) for place in asked]
        questions, missing = _asked(self.llm, prompts, "standalone", _whole)
        self.notes = (*getattr(self.of, "notes", ()), *_notes("standalone", len(asked), missing))
        for place, question in zip(asked, questions, strict=True):
            if question:
                plans[place] = _fed(plans[place], question, self.feeds)
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
        self.llm, self.of, self.feeds = (
            given(llm, f"query={self.stage}"),
            of or AllUserTurns(),
            feeds,
        )
        self.keep_query, self.count = keep_query, count
        self.notes: tuple[str, ...] = ()

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]:
        plans = self.of.plan(queries)
        own = [plan.texts[EVERY_PART] for plan in plans]
        messages = ["\n".join(texts) for texts in own]
        prompts = [self.prompt.fill(one, message=one, count=self.count) for one in messages]
        read, missing = _asked(self.llm, prompts, self.stage, self.read)
        self.notes = (*getattr(self.of, "notes", ()), *_notes(self.stage, len(plans), missing))
        return [
            self._expanded(plan, texts, found) if found else plan
            for plan, texts, found in zip(plans, own, read, strict=True)
        ]

    def read(self, text: str) -> Sequence[str]:
        """The texts to search for in an answer."""
        lines = [_bare(_BULLET.sub("", line)) for line in text.splitlines()]
        return [line for line in lines if line and not line.endswith((":", "："))][: self.count]

    def _expanded(self, plan: QueryPlan, own: Sequence[str], read: Sequence[str]) -> QueryPlan:
        kept = own if self.keep_query else ()
        return _fed(plan, tuple(dict.fromkeys([*kept, *read])), self.feeds)


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

    def read(self, text: str) -> Sequence[str]:
        return _whole(text)


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


def _asked(
    llm: LLM, prompts: Sequence[str], stage: str, read: Callable[[str], Sequence[str]]
) -> tuple[list[Sequence[str]], Counter[str]]:
    """The texts to search for in each answer, none where it cannot be used; reason -> how many."""
    said, missing = ask(llm, prompts, stage=stage, version=VERSION, check=unusable)
    texts = [() if text is None else read(text) for text in said]
    if silent := sum(
        text is not None and not found for text, found in zip(said, texts, strict=True)
    ):
        missing["it holds no text"] += silent
    return texts, missing


def _whole(text: str) -> Sequence[str]:
    """An answer that is one text."""
    bare = _bare(text)
    return (bare,) if bare else ()


def _notes(stage: str, asked: int, missing: Mapping[str, int]) -> list[str]:
    if not missing:
        return []
    reasons = "; ".join(f"{count}: {reason}" for reason, count in missing.items())
    return [
        f"query={stage}: {sum(missing.values())} of {asked} answers cannot be used ({reasons}); "
        "these queries are searched by their own words."
    ]


def _fed(plan: QueryPlan, texts: Sequence[str], feeds: Sequence[str] | None) -> QueryPlan:
    """The plan with other texts for the parts that read them."""
    if feeds is None:
        return QueryPlan(plan.id, {EVERY_PART: tuple(texts)})
    return QueryPlan(plan.id, {**plan.texts, **dict.fromkeys(feeds, tuple(texts))})


def _standalone(query: Message) -> str:
    """The prompt, in the language of the turn to answer."""
    turns = [f"{turn.role}: {turn.text}" for turn in query.history]
    conversation = "\n".join([*turns, f"user: {query.text}"])
    return STANDALONE.fill(query.text, message=conversation)


def _bare(text: str) -> str:
    """An answer without the label and the quotes that models put around it."""
    return _LABEL.sub("", text.strip()).strip().strip(_QUOTES).strip()
