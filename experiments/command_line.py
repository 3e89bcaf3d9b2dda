"""The words of the command line: what Hydra's grammar cannot read is put in quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException

_MULTIRUN = ("-m", "--multirun")


def readable(words: Sequence[str]) -> list[str]:
    """The same words, a value with letters such as 한글, brackets or `=` quoted where it must be.

    The items of a list `[a,b]`, and with -m those of a sweep, are quoted one by one. A -m comes
    first: between two options Hydra would take none of those after it.
    """
    sweeps = [word for word in words if word in _MULTIRUN]
    options = [word for word in words if word not in _MULTIRUN]
    return [*sweeps[:1], *(_readable(word, bool(sweeps)) for word in options)]


def _readable(word: str, sweeps: bool) -> str:
    key, equals, value = word.partition("=")
    if not equals or word.startswith("-") or _is_read(word):
        return word
    listed = re.fullmatch(r"\[(.*)\]", value)
    if listed is not None:
        quoted = f"[{_each(listed.group(1))}]"
    else:
        quoted = _each(value) if sweeps else _quoted(value)
    return f"{key}={quoted}" if _is_read(f"{key}={quoted}") else word


def _each(items: str) -> str:
    return ",".join(_quoted(item.strip()) for item in items.split(","))


def _quoted(value: str) -> str:
    """In single quotes; a backslash counts as one only before a quote."""
    escaped = re.sub(r"(\\*)(?='|$)", lambda found: found.group(1) * 2, value)
    return "'" + escaped.replace("'", r"\'") + "'"


def _is_read(word: str) -> bool:
    try:
        OverridesParser.create().parse_override(word)
    except HydraException:
        return False
    return True
