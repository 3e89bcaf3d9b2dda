"""Whether the plain value of an option is what the constructor that gets it asks for."""

from __future__ import annotations

import inspect
import json
import math
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_LEAST = {"depth": 1, "candidates": 1}
"""The smallest whole number an option of this name takes; 0 for all others."""


@cache
def argument_types(call: Callable[..., Any]) -> dict[str, Any]:
    """Argument -> its annotation, without those whose names exist for type checkers alone."""
    function: Any = call.__init__ if inspect.isclass(call) else call
    found: dict[str, Any] = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        alone = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            found |= get_type_hints(alone, globalns=function.__globals__)
        except NameError:
            continue
    return found


def check_value(option: str, value: Any, kind: Any) -> None:
    """Raises ValueError: the value is not of the kind, said with the option as it is written.

    option: such as `retriever.k1`.  value: plain, as YAML reads it; a part that is yet to be built
    fits everywhere, and so does any value where the annotation is no plain type.
    """
    if isinstance(value, Mapping) and "_target_" not in value:
        inner = [get_args(one) for one in _members(kind) if _is_mapping(one)]
        for key, item in value.items() if inner and inner[0] else ():
            check_value(f"{option}.{key}", item, inner[0][1])
    if not any(_fits(value, one) for one in _members(kind)):
        raise ValueError(f"{option} is {_shown(value)}: {_wanted(option, value, kind)}.")
    least = _LEAST.get(option.rpartition(".")[2], 0)
    if int in _members(kind) and isinstance(value, int) and value < least:
        raise ValueError(f"{option} is {value}: give a whole number, {least} or more.")


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _is_mapping(kind: Any) -> bool:
    return get_origin(kind) in (Mapping, dict)


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (Sequence, list, tuple)


def _fits(value: Any, kind: Any) -> bool:
    if isinstance(value, Mapping) and "_target_" in value:
        return True
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind](value)
    if _is_mapping(kind):
        return isinstance(value, Mapping)
    if _is_list(kind):
        items = get_args(kind)[0]
        return isinstance(value, list) and all(
            any(_fits(item, one) for one in _members(items)) for item in value
        )
    return True


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_PLAIN: Mapping[Any, Callable[[Any], bool]] = {
    bool: lambda value: isinstance(value, bool),
    int: _is_whole,
    float: lambda value: _is_whole(value) or (isinstance(value, float) and math.isfinite(value)),
    str: lambda value: isinstance(value, str),
    Path: lambda value: isinstance(value, str),
    type(None): lambda value: value is None,
}

_NAMES: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word",
    Path: "a path",
    type(None): "null",
}


def _wanted(option: str, value: Any, kind: Any) -> str:
    if str in _members(kind) and isinstance(value, int | float):
        return f"give a word, and if this is meant as one, write {option}=\"'{value}'\""
    return f"give {' or '.join(dict.fromkeys(map(_name, _members(kind))))}"


def _name(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    if _is_mapping(kind):
        return "a group of options, a name for each"
    if _is_list(kind):
        return "a list such as [a,b]"
    return _NAMES.get(kind, "a part of its own")


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)
