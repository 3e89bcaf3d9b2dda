"""Many calls at once, of which the first that cannot go on ends all."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TypeVar

T = TypeVar("T")


def side_by_side(
    jobs: Sequence[Callable[[], T]], *, at_once: int, stop: threading.Event, label: str = ""
) -> list[T]:
    """The results of the jobs, in their order.

    label: of the bar that says on a terminal how long it takes; "" for none.
    Where one raises, or the user interrupts, `stop` is set: what has not begun never does, what is
    under way looks at it and ends, and the error is raised.
    """

    def done(job: Callable[[], T]) -> list[T]:
        if stop.is_set():
            return []
        try:
            return [job()]
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(at_once) as pool:
        waiting = [pool.submit(done, job) for job in jobs]
        try:
            for ended in _as_they_end(waiting, label):
                ended.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [result for one in waiting for result in one.result()]


def _as_they_end(waiting: Sequence[Future[T]], label: str) -> Iterator[Future[T]]:
    if not label or len(waiting) < 2:
        yield from as_completed(waiting)
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(file=sys.stderr)
    yield from track(
        as_completed(waiting),
        description=label,
        total=len(waiting),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
