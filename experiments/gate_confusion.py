"""Did the gate block the right queries? Where labels say which have nothing to find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.schema import Dataset, Query

CHAT_TAGS = frozenset({"chat", "chit-chat", "chitchat", "small_talk", "smalltalk", "잡담"})
"""Values of a query's tags, in small letters, that say it asks for nothing."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many queries were blocked or passed, rightly or wrongly; blocking is the positive."""

    blocked_rightly: int
    blocked_wrongly: int
    passed_rightly: int
    passed_wrongly: int

    @property
    def precision(self) -> float | None:
        """The share of the blocked that had nothing to find; None where nothing was blocked."""
        return _share(self.blocked_rightly, self.blocked_wrongly)

    @property
    def recall(self) -> float | None:
        """The share of those with nothing to find that was blocked; None where there are none."""
        return _share(self.blocked_rightly, self.passed_wrongly)

    def numbers(self) -> dict[str, float]:
        """All that is known, with finite values."""
        rates = {"precision": self.precision, "recall": self.recall}
        counts = {name: float(count) for name, count in asdict(self).items()}
        return counts | {name: rate for name, rate in rates.items() if rate is not None}

    def sentence(self) -> str:
        """All of it for people."""
        empty = self.blocked_rightly + self.passed_wrongly
        others = self.blocked_wrongly + self.passed_rightly
        if not empty:
            return f"gate: blocked {self.blocked_wrongly} of {others} queries; all have a passage."
        return (
            f"gate: blocked {self.blocked_rightly} of {empty} queries with nothing to find "
            f"(recall {_shown(self.recall)}) and {self.blocked_wrongly} of {others} others "
            f"(precision {_shown(self.precision)})."
        )


def confusion(dataset: Dataset, blocked: Sequence[str], judged: Sequence[str]) -> Confusion | None:
    """The table over the queries `judged`; None where no label says what there is to find.

    A query has nothing to find where the labels give it no relevant document or span, or where a
    tag says that it is chat.
    """
    if dataset.qrels is None and dataset.spans is None:
        tagged = any(_is_chat(query) for query in dataset.queries)
        if not tagged:
            return None
    stopped, wanted = set(blocked), set(judged)
    counts = {(b, e): 0 for b in (True, False) for e in (True, False)}
    for query in dataset.queries:
        if query.id in wanted:
            counts[query.id in stopped, _has_nothing(query, dataset)] += 1
    return Confusion(
        counts[True, True], counts[True, False], counts[False, False], counts[False, True]
    )


def _has_nothing(query: Query, dataset: Dataset) -> bool:
    if _is_chat(query):
        return True
    if dataset.spans is not None:
        return not dataset.spans.get(query.id)
    if dataset.qrels is None:
        return False
    return not any(grade > 0 for grade in dataset.qrels.get(query.id, {}).values())


def _is_chat(query: Query) -> bool:
    return any(str(value).casefold() in CHAT_TAGS for value in query.tags.values())


def _share(right: int, wrong: int) -> float | None:
    return right / (right + wrong) if right + wrong else None


def _shown(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.3f}"
