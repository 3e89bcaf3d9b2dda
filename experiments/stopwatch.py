"""Where the time of a pipeline goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Seconds by stage, in the order they ended; a stage within a stage pauses the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner = [0.0]

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the block to the stage."""
        started = time.perf_counter()
        self._inner.append(0.0)
        try:
            yield
        finally:
            whole = time.perf_counter() - started
            own = whole - self._inner.pop()
            self._inner[-1] += whole
            self.seconds[stage] = self.seconds.get(stage, 0.0) + own
