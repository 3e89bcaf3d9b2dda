"""The words of a query that carry meaning: a rewriting for search that needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, compress
from typing import Protocol

from retrievers.analyzers import analyzer as analyzer_named
from retrievers.queries import AllUserTurns, Message
from retrievers.ranking import EVERY_PART, QueryPlan


class Planner(Protocol):
    """Anything that says what to search for."""

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]: ...


class Keywords:
    """Searches for the words in which an analyzer finds a term, not for those that only link.

    of: makes the query; None for all that the user said.
    analyzer: what counts as a term.
    A query of which nothing would be left stays as it is.
    """

    def __init__(self, of: Planner | None = None, *, analyzer: str = "auto") -> None:
        self.of, self.analyzer = of or AllUserTurns(), analyzer

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say of how the query was made."""
        return tuple(getattr(self.of, "notes", ()))

    def plan(self, queries: Sequence[Message]) -> list[QueryPlan]:
        plans = self.of.plan(queries)
        words = [" ".join(plan.texts[EVERY_PART]).split() for plan in plans]
        ends = list(accumulate(map(len, words)))
        flat = [word for own in words for word in own]
        says = [bool(terms) for terms in analyzer_named(self.analyzer).analyze_many(flat)]
        return [
            _with_words(plan, [*compress(own, says[end - len(own) : end])])
            for plan, own, end in zip(plans, words, ends, strict=True)
        ]


def _with_words(plan: QueryPlan, words: Sequence[str]) -> QueryPlan:
    return plan._replace(texts={**plan.texts, EVERY_PART: (" ".join(words),)}) if words else plan
