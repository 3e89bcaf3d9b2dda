"""How far work has come and how long it may still take, on the error stream."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

EVERY = 30.0
"""Seconds between two lines where there is no terminal to draw a bar on."""


def progress(items: Sequence[T], label: str) -> Iterator[T]:
    """The items one by one, followed on the error stream; a single one is not."""
    return followed(items, len(items), label)


def followed(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """The same of items that come in the end: `total` of them.

    A terminal gets a bar; a log gets a line now and then, none for what is done sooner.
    """
    if total < 2 or sys.stderr is None:
        return iter(items)
    if sys.stderr.isatty():
        return _bar(items, total, label)
    return _lines(items, total, label)


def _bar(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import track

    console = Console(file=sys.stderr)
    yield from track(items, escape(label), total, console=console, transient=True)


def _lines(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    began = said = monotonic()
    for done, item in enumerate(items):
        now = monotonic()
        if done and now - said >= EVERY:
            said = now
            left = duration((now - began) / done * (total - done))
            with suppress(OSError, ValueError):  # a log that is gone must not end the work
                print(
                    f"{label}: {done / total:.0%}, about {left} left", file=sys.stderr, flush=True
                )
        yield item


def duration(seconds: float) -> str:
    """Seconds for a reader: "45 s", "12 min"."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
