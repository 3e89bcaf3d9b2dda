"""Many calls at once, of which the first that cannot go on ends all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from generation.progress import followed

T = TypeVar("T")


def side_by_side(
    jobs: Sequence[Callable[[], T]], *, at_once: int, stop: threading.Event, label: str = ""
) -> list[T]:
    """The results of the jobs, in their order.

    label: of what says on the error stream how long it takes; "" for none.
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
            ended = as_completed(waiting)
            for one in followed(ended, len(waiting), label) if label else ended:
                one.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [result for one in waiting for result in one.result()]
