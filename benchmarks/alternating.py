"""Two ways to the same numbers, run in turn: their medians, the ratio and how far they differ."""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

Values = np.ndarray[Any, Any]


def timed(work: Callable[[], object], repeat: int = 1) -> float:
    """Seconds that one of `repeat` runs takes, without the garbage collector."""
    gc.collect()
    gc.disable()
    start = perf_counter()
    for _ in range(repeat):
        work()
    seconds = (perf_counter() - start) / repeat
    gc.enable()
    return seconds


def alternate(
    title: str,
    peer: Callable[[], Values],
    ours: Callable[[], Values],
    rounds: int,
    *,
    repeat: int = 1,
) -> None:
    """Print the medians of both sides over `rounds` alternating rounds of `repeat` runs each.

    The garbage collector is off while a clock runs. NaN on both sides is no difference.
    """
    difference = np.nanmax(np.abs(peer() - ours()))
    seconds: dict[str, list[float]] = {"peer": [], "ours": []}
    for _ in range(rounds):
        for side, run in (("peer", peer), ("ours", ours)):
            seconds[side].append(timed(run, repeat))
    theirs, mine = median(seconds["peer"]), median(seconds["ours"])
    print(
        f"{title}: peer {theirs * 1e3:.2f} ms, ours {mine * 1e3:.2f} ms, "
        f"{theirs / mine:.1f} times faster (largest difference of a value {difference:.1e})"
    )
