"""What the calls of a model came to, stage by stage; safe across threads."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from generation.answers import Answer


FAILED = "failed/"
"""What the numbers of calls without an answer are called, before the kind."""


@dataclass(frozen=True, slots=True)
class StageUsage:
    """One stage of one model.

    asked: answers wanted.  stored: of these, read from the store.
    made: attempts sent to the server.  retried: of these, after a failed one of the same call.
    faults: kind -> attempts that failed.  failed: kind of the last fault -> calls left unanswered.
    empty: answers without text.  cut: answers that ended at the length limit.
    tokens_in, tokens_out: of the calls answered now; `estimated`: how many of them were counted
        here because the server gave no counts.
    tokens_cached: of tokens_in, those that the server read from its prompt cache.
    usd: US dollars of these calls; None where the price is unknown.
    seconds: of each call answered now.
    """

    asked: int = 0
    stored: int = 0
    made: int = 0
    retried: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    empty: int = 0
    cut: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    estimated: int = 0
    usd: float | None = 0.0
    seconds: Sequence[float] = ()

    def percentile(self, share: float) -> float | None:
        """Seconds that this share (in percent) of the calls took at most; None without a call."""
        return float(np.percentile(self.seconds, share)) if self.seconds else None

    def since(self, before: StageUsage) -> StageUsage:
        """What came after an earlier reading of the same counts."""
        usd = None if self.usd is None else self.usd - (before.usd or 0.0)
        return StageUsage(
            **{name: getattr(self, name) - getattr(before, name) for name in _COUNTS},
            faults=dict(Counter(self.faults) - Counter(before.faults)),
            failed=dict(Counter(self.failed) - Counter(before.failed)),
            usd=usd,
            seconds=self.seconds[len(before.seconds) :],
        )

    def plus(self, other: StageUsage) -> StageUsage:
        """Both together; their price is unknown where one of them is."""
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return StageUsage(
            **{name: getattr(self, name) + getattr(other, name) for name in _COUNTS},
            faults=dict(Counter(self.faults) + Counter(other.faults)),
            failed=dict(Counter(self.failed) + Counter(other.failed)),
            usd=usd,
            seconds=(*self.seconds, *other.seconds),
        )

    def numbers(self) -> dict[str, float]:
        """All that is known, as flat names with finite values, for a tracker."""
        found = {name: float(getattr(self, name)) for name in _COUNTS}
        found |= {f"faults/{kind}": float(count) for kind, count in self.faults.items()}
        found |= {f"{FAILED}{kind}": float(count) for kind, count in self.failed.items()}
        measured = {"usd": self.usd, "p50": self.percentile(50), "p95": self.percentile(95)}
        return found | {name: value for name, value in measured.items() if value is not None}

    def sentence(self) -> str:
        """All of it for people."""
        failed = f", {sum(self.failed.values())} failed ({_listed(self.failed)})"
        retried = f", {self.retried} of them repeats ({_listed(self.faults)})"
        about = "about " if self.estimated else ""
        price = "price unknown" if self.usd is None else f"{about}${self.usd:.4f}"
        cached = f" ({self.tokens_cached} from the server's cache)" if self.tokens_cached else ""
        parts = [
            f"{self.asked} answers asked for, {self.stored} read from the store, "
            f"{self.made} calls made{retried if self.retried else ''}"
            f"{failed if self.failed else ''}",
            f"{self.empty} empty and {self.cut} cut answers" if self.empty or self.cut else "",
            f"{about}{self.tokens_in} tokens read{cached} and {self.tokens_out} written, {price}",
        ]
        return "; ".join(part for part in parts if part) + "."


_COUNTS = (
    *("asked", "stored", "made", "retried", "empty", "cut"),
    *("tokens_in", "tokens_out", "tokens_cached", "estimated"),
)


class Tally:
    """Counts as the calls go."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, Counter[str]] = {}
        self._faults: dict[str, Counter[str]] = {}
        self._failed: dict[str, Counter[str]] = {}
        self._seconds: dict[str, list[float]] = {}
        self._usd: dict[str, float | None] = {}

    def asked(self, stage: str, count: int) -> None:
        """So many answers are wanted."""
        self._add(stage, asked=count)

    def stored(self, stage: str, answer: Answer) -> None:
        """An answer that stood in the store."""
        self._add(stage, stored=1, empty=answer.text == "", cut=answer.cut)

    def sent(self, stage: str, *, again: bool) -> None:
        """An attempt goes out, after one that failed where `again`."""
        self._add(stage, made=1, retried=again)

    def fault(self, stage: str, kind: str) -> None:
        """An attempt failed."""
        with self._lock:
            self._faults.setdefault(stage, Counter())[kind] += 1

    def failed(self, stage: str, kind: str) -> None:
        """A call is left without an answer."""
        with self._lock:
            self._failed.setdefault(stage, Counter())[kind] += 1

    def answered(self, stage: str, answer: Answer, usd: float | None) -> None:
        """A call succeeded, for that many US dollars (None: the price is unknown)."""
        with self._lock:
            self._seconds.setdefault(stage, []).append(answer.seconds)
            before = self._usd.get(stage, 0.0)
            self._usd[stage] = None if usd is None or before is None else before + usd
        self._add(
            stage,
            empty=answer.text == "",
            cut=answer.cut,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            tokens_cached=answer.tokens_cached,
            estimated=answer.estimated,
        )

    def stages(self) -> dict[str, StageUsage]:
        """Stage -> its counts so far, in the order the stages began."""
        with self._lock:
            return {
                stage: StageUsage(
                    **counts,
                    faults=dict(sorted(self._faults.get(stage, Counter()).items())),
                    failed=dict(sorted(self._failed.get(stage, Counter()).items())),
                    usd=self._usd.get(stage, 0.0),
                    seconds=tuple(self._seconds.get(stage, ())),
                )
                for stage, counts in self._counts.items()
            }

    def _add(self, stage: str, **counts: int) -> None:
        with self._lock:
            own = self._counts.setdefault(stage, Counter())
            for name, count in counts.items():
                own[name] += int(count)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in counts.items())
