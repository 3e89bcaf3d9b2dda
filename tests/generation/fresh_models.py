"""Stub models whose names no other test shares, and a layer that fails fast over them."""

from __future__ import annotations

from itertools import count
from typing import Any

from experiments.store import NoStore
from generation.llm import StoredLLM
from generation.retry import Retry
from tests.generation.stub_llm import StubLLM

NAMES = (f"stub-{number}" for number in count())


def stored(llm: StubLLM | None = None, *, store: Any = None, **options: Any) -> StoredLLM:
    """A fast-failing layer over a model whose name no other test shares."""
    options.setdefault("retry", Retry(first_wait=0.0))
    return StoredLLM(llm=llm or stub(), store=store or NoStore(), **options)


def stub(*arguments: Any, **fields: Any) -> StubLLM:
    return StubLLM(*arguments, **{"model": next(NAMES), **fields})


def prompts(number: int, prefix: str = "p") -> list[str]:
    return [f"{prefix}{place}" for place in range(number)]
