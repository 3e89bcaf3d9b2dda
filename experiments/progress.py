"""A bar with the time left, on the error stream, for work that takes a while."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def progress(items: Sequence[T], label: str) -> Iterator[T]:
    """The items one by one, with a bar while there is more than one."""
    if len(items) < 2:
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(file=sys.stderr)
    silent = not console.is_terminal
    yield from track(items, description=label, console=console, transient=True, disable=silent)
