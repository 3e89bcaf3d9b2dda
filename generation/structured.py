"""Answers with named fields, read leniently once and held against a schema."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from generation.lenient_json import json_values

Schema = Mapping[str, Callable[[Any], Any]]
"""Field -> what makes its value of what stands there (bool, int, float, str, list, `one_of`, or a
function of one's own). One that raises ValueError or TypeError says that it is none."""

_TRUE, _FALSE = {"true", "yes", "예", "네", "1"}, {"false", "no", "아니오", "아니요", "0"}


def parse(text: str, schema: Schema) -> dict[str, Any] | None:
    """The fields of the last object in the text that has them all; None where none does.

    Forgiven: prose and code fences around it, commas too many, quotes of other kinds, other letter
    cases of the fields, further fields, and an end that is cut off behind them.
    """
    fitting = [_fields(found, schema) for found in json_values(text, dict)]
    return next((fields for fields in reversed(fitting) if fields is not None), None)


def one_of(*words: str) -> Callable[[Any], str]:
    """For a schema: one of these words, whatever the case of its letters."""
    known = {word.casefold(): word for word in words}

    def read(value: Any) -> str:
        word = known.get(str(value).strip().casefold())
        if word is None:
            raise ValueError(f"{value!r} is none of {', '.join(words)}")
        return word

    return read


def _fields(found: Mapping[str, Any], schema: Schema) -> dict[str, Any] | None:
    by_name = {str(name).strip().casefold(): value for name, value in found.items()}
    try:
        return {name: _read(by_name[name.casefold()], kind) for name, kind in schema.items()}
    except (LookupError, TypeError, ValueError, OverflowError):
        return None


def _read(value: Any, kind: Callable[[Any], Any]) -> Any:
    if kind is bool:
        return _truth(value)
    if kind in (int, float):
        return _number(value, whole=kind is int)
    if kind in (str, list, dict):
        if not isinstance(value, kind):
            raise TypeError
        return value
    return kind(value)


def _truth(value: Any) -> bool:
    word = str(value).strip().casefold()
    if word not in _TRUE | _FALSE:
        raise ValueError
    return word in _TRUE


def _number(value: Any, *, whole: bool) -> float:
    if isinstance(value, bool | None):
        raise TypeError
    number = float(value)
    if not math.isfinite(number) or (whole and not number.is_integer()):
        raise ValueError
    return int(number) if whole else number
