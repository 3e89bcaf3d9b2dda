"""JSON in which nothing is passed over: a key that stands twice, a number that is too long."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def loads(text: str, *, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """The value of a text. The sentences have no full stop, for callers put them into their own.

    Raises JSONDecodeError for what is no JSON, RecursionError where it is nested too deeply, and
    ValueError for a repeated key and for a whole number too long for Python to read.
    """
    return json.loads(
        text, object_pairs_hook=_object, parse_int=_whole, parse_constant=parse_constant
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise ValueError(f'the key "{twice}" stands twice in one object: keep one')
    return found


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise ValueError(
            f"a number of {len(digits)} digits is too long: write it as text, in quotes"
        ) from None
