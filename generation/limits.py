"""How hard a server may be pressed: calls at once, calls a minute, seconds a call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one process asks of one model at most.

    concurrency: calls at once.  requests_per_minute: spread evenly; None for no limit.
    timeout: seconds from sending a call to its whole answer.

    Raises ValueError where one of them is not above 0.
    """

    concurrency: int = 4
    requests_per_minute: float | None = None
    timeout: float = 60.0

    def __post_init__(self) -> None:
        rate = self.requests_per_minute
        if self.concurrency < 1 or self.timeout <= 0 or (rate is not None and rate <= 0):
            raise ValueError(
                f"limits got concurrency={self.concurrency}, requests_per_minute={rate} and "
                f"timeout={self.timeout:g}: all of them are above 0."
            )


class StoppedError(Exception):
    """A call that was not made: what it belongs to has ended meanwhile."""


class Limiter:
    """Lets calls start no faster than it was told, from any number of threads."""

    def __init__(self, concurrency: int, *, requests_per_minute: float | None = None) -> None:
        self._places = threading.BoundedSemaphore(concurrency)
        self._step = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def place(self, stop: threading.Event) -> Iterator[None]:
        """One of the places, from the moment a call may start.

        Raises StoppedError where `stop` is set before.
        """
        with self._places:
            while not stop.is_set() and (wait := self._turn()) > 0:
                stop.wait(wait)
            if stop.is_set():
                raise StoppedError
            yield

    def pause(self, seconds: float) -> None:
        """No call starts for so long: the server asked for it."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def _turn(self) -> float:
        """Take the turn, where it is time for one; else the seconds until then."""
        with self._lock:
            now = time.monotonic()
            if self._next <= now:
                self._next = now + self._step
                return 0.0
            return self._next - now


@cache
def limiter(model: str, concurrency: int, requests_per_minute: float | None) -> Limiter:
    """The one limiter that all parts of this process share for a model."""
    return Limiter(concurrency, requests_per_minute=requests_per_minute)


def within(seconds: float, call: Callable[[], T]) -> T:
    """What the call returns. Raises TimeoutError where it takes longer; it is left to end alone."""
    result: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            result.append(call())
        except BaseException as error:  # it belongs to the thread that waits
            raised.append(error)

    context = copy_context()
    thread = threading.Thread(target=context.run, args=(run,), daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not result:
        raise TimeoutError
    return result[0]
