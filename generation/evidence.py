"""Which passages go into a prompt: by rank, whole or not at all, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrievers.tokens import tokens_of

OVER_BUDGET, BELOW_TOP_K = "over the token budget", "below top_k"
_CACHED = 1 << 17


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage as the ranking gives it.

    id: of its node.  document: the id of its document.
    rank: 0 = best.  start, end: its characters in the document, -1 where nobody knows.
    """

    id: str
    document: str
    text: str
    rank: int
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Excluded:
    """A passage that is left out: why, and the tokens it would have cost; else as `Evidence`."""

    id: str
    document: str
    rank: int
    reason: str
    tokens: int
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Selection:
    """What a prompt may show of one query's ranking.

    chosen: best first.  tokens: of each of them.  excluded: the others, best first.
    """

    chosen: tuple[Evidence, ...]
    tokens: tuple[int, ...]
    excluded: tuple[Excluded, ...]


def select(
    ranked: Sequence[Evidence], *, budget: int, top_k: int, encoding: str = "o200k_base"
) -> Selection:
    """Take passages by rank as long as they fit; one that does not fit is skipped whole.

    budget: tokens of all passages together, without tags.  top_k: how many at most.
    A shorter passage after one that does not fit may still be taken. It is done before any
    reordering, so no order changes what the model gets. What no budget could bring in, for top_k
    passages rank above it, is below top_k.
    Raises ValueError for a budget or a top_k below 0, and for a rank that stands twice.
    """
    if budget < 0 or top_k < 0:
        raise ValueError(f"budget={budget} and top_k={top_k}: give whole numbers from 0.")
    by_rank = sorted(ranked, key=lambda one: one.rank)
    if len({one.rank for one in by_rank}) < len(by_rank):
        raise ValueError("Two passages have one rank: give each a rank of its own, 0 = best.")
    chosen: list[Evidence] = []
    costs: list[int] = []
    excluded: list[Excluded] = []
    left = budget
    for place, one in enumerate(by_rank):
        cost = token_count(one.text, encoding)
        if len(chosen) < top_k and cost <= left:
            chosen.append(one)
            costs.append(cost)
            left -= cost
        else:
            reason = BELOW_TOP_K if place >= top_k else OVER_BUDGET
            excluded.append(
                Excluded(one.id, one.document, one.rank, reason, cost, one.start, one.end)
            )
    return Selection(tuple(chosen), tuple(costs), tuple(excluded))


def assembly_recall(chosen: Sequence[Evidence], required: Sequence[str]) -> float | None:
    """The share of the required documents of which a passage is in the context, 0 to 1.

    None where nothing is required. It is known before any model is called.
    """
    wanted = set(required)
    if not wanted:
        return None
    return len(wanted & {one.document for one in chosen}) / len(wanted)


@lru_cache(maxsize=_CACHED)
def token_count(text: str, encoding: str) -> int:
    """Tokens of a text; a passage that many queries see is counted once."""
    return len(tokens_of(encoding, text))
