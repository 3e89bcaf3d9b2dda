"""Locks of other processes, asked about without waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def unheld(path: Path) -> Iterator[bool]:
    """Whether no process holds the lock file; nobody takes it while the block lasts."""
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
