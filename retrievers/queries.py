"""What to search for, from a message and the turns before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from retrievers.ranking import EVERY_PART, QueryPlan


class ChatTurn(Protocol):
    """One turn; role is "user" or "assistant"."""

    @property
    def role(self) -> str: ...
    @property
    def text(self) -> str: ...


class Message(Protocol):
    """The turn to answer and the turns before it, oldest first."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def history(self) -> Sequence[ChatTurn]: ...


class LastTurn:
    """Searches for the last turn alone: right for questions that stand alone."""

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]:
        return [QueryPlan(query.id, {EVERY_PART: (query.text,)}) for query in queries]


class AllUserTurns:
    """Searches for all that the user said, oldest first, one turn a line.

    The last turn often says only "why?", and names its subject turns before. What the assistant
    said is left out: it is long and would drown the question.
    """

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]:
        return [QueryPlan(query.id, {EVERY_PART: (_all_said(query),)}) for query in queries]


def _all_said(query: Message) -> str:
    earlier = [turn.text for turn in query.history if turn.role == "user"]
    return "\n".join([*earlier, query.text])
