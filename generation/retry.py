"""Whether a failed call is tried again, and after how long."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from generation.faults import Failure, Fault
from generation.limits import Limiter, StoppedError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Exponential backoff with jitter: half to all of `first_wait` * 2^n seconds.

    attempts: per call, the first one included.
    first_wait, longest_wait: seconds. A server that asks for a longer wait than the longest ends
        the call; one that asks for less is given at least what it asks for.
    seed: of the jitter, which depends on nothing but the call and the number of the attempt.

    Raises ValueError for less than one attempt and for waits below 0.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.first_wait < 0 or self.longest_wait < 0:
            raise ValueError(
                f"retry got attempts={self.attempts}, first_wait={self.first_wait:g} and "
                f"longest_wait={self.longest_wait:g}: give 1 or more attempts and waits from 0."
            )

    def wait(self, key: str, faults: Sequence[Fault]) -> float | None:
        """Seconds before a call is tried again; None where it is not.

        faults: of its attempts so far.
        """
        attempt, last = len(faults), faults[-1]
        alike = sum(fault.kind == last.kind for fault in faults)
        if attempt >= self.attempts or (last.allowed is not None and alike >= last.allowed):
            return None
        if last.wait is not None and last.wait > self.longest_wait:
            return None
        share = random.Random(f"{self.seed}\n{attempt}\n{key}").uniform(0.5, 1.0)
        backoff = share * min(self.first_wait * 2.0 ** (attempt - 1), self.longest_wait)
        return backoff if last.wait is None else max(backoff, last.wait)

    def result(
        self,
        attempt: Callable[[bool], T | Fault],
        *,
        key: str,
        limiter: Limiter,
        stop: threading.Event,
    ) -> T | Failure:
        """What the first attempt that succeeds gives; a Failure where none does.

        attempt: (whether it is a repeat) -> the result, or why there is none.
        limiter: holds all calls back for as long as the server asks.
        stop: ends the waiting; no further attempt is made.
        """
        faults: list[Fault] = []
        while not stop.is_set():
            try:
                outcome = attempt(bool(faults))
            except StoppedError:
                break
            if not isinstance(outcome, Fault):
                return outcome
            faults.append(outcome)
            wait = self.wait(key, faults)
            if wait is None:
                break
            if outcome.wait is not None:
                limiter.pause(outcome.wait)
            stop.wait(wait)
        return Failure(tuple(faults))
