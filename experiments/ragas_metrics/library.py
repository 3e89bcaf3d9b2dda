"""The way into ragas, which is an option and slow to import."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")


def ragas(module: str, name: str) -> Any:
    """What a module of ragas calls by that name; ragas's reports of use are switched off.

    Raises ModuleNotFoundError without the extra; the command line says how it is installed.
    """
    with _quietly():
        return getattr(import_module(module), name)


def version() -> str:
    """Of ragas, as it is installed."""
    with _quietly():
        from ragas import __version__
    return str(__version__)


@contextmanager
def _quietly() -> Iterator[None]:
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ids and strings have no other place
        yield


def finish(work: Coroutine[Any, Any, T]) -> T:
    """The result of asynchronous work, in one event loop of its own; in a notebook too."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _in_a_loop(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_in_a_loop, work).result()


def _in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """Not asyncio.run, which holds Ctrl-C back until the calls under way are answered."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
