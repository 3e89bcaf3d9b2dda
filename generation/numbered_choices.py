"""The order a model gives to numbered candidates, repaired so that none is lost or invented."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from generation.lenient_json import json_values

_LABEL = re.compile(
    r"(?:\b(?:doc(?:ument)?|passage|candidate)s?|문서|지문|단락|후보)"
    r"[\s*_#:.\[(]*(-?\d+(?:\s*,\s*-?\d+)*)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\[\s*(-?\d+)\s*\]")
_LISTED = re.compile(r"(?<![\w.-])-?\d+(?:\s*(?:[,;>]|\n|\s)\s*-?\d+)+(?![\w.]*\d)")
_ALONE = re.compile(r"(?:^|[:：])[\s*_`#]*(-?\d+)[\s*_`.]*$", re.MULTILINE)
_PLACE = re.compile(r"^\s*\d+[.)]\s+(?=\S)", re.MULTILINE)
_NUMBER = re.compile(r"-?\d+")
_LONGEST = 9
_NAMES = ("doc", "document", "passage", "id", "index", "number", "rank")


@dataclass(frozen=True, slots=True)
class Order:
    """A complete order of n candidates.

    positions: a permutation of 0 … n-1, best first: what the model chose, then the others as they
        came in.
    chosen: how many of them the model named.
    unknown: numbers outside 1 … n.  repeated: numbers named again.
    unreadable: the answer held no choice, so the incoming order stays.
    """

    positions: tuple[int, ...]
    chosen: int
    unknown: int = 0
    repeated: int = 0
    unreadable: bool = False


def read_order(text: str | None, count: int) -> Order:
    """What an answer says of candidates that were numbered from 1.

    Understood: "2, 1, 3", "[2] > [1]", "Doc: 2" on lines (markdown or not), JSON lists of numbers,
    of texts or of objects. Digits in prose are no choice.
    text: None where the call failed.
    """
    numbers = _numbers(text or "")
    known = [number for number in numbers if 1 <= number <= count]
    chosen = list(dict.fromkeys(number - 1 for number in known))
    rest = [position for position in range(count) if position not in set(chosen)]
    return Order(
        positions=(*chosen, *rest),
        chosen=len(chosen),
        unknown=len(numbers) - len(known),
        repeated=len(known) - len(chosen),
        unreadable=not numbers,
    )


def _numbers(text: str) -> list[int]:
    """The numbers of the first way of writing a choice that the text has."""
    return next((found for found in _readings(text) if found), [])


def _readings(text: str) -> Iterator[list[int]]:
    labelled = [number for run in _LABEL.findall(text) for number in _whole_numbers(run)]
    bracketed = _whole_numbers(" ".join(_BRACKET.findall(text)))
    lists = [_of_list(value) for value in json_values(text, list)] if len(bracketed) < 2 else []
    yield max(lists, key=len, default=[])
    yield labelled
    yield bracketed
    text = _without_places(text)
    yield max(map(_whole_numbers, _LISTED.findall(text)), key=len, default=[])
    yield _whole_numbers(" ".join(_ALONE.findall(text)))


def _without_places(text: str) -> str:
    """Lines that are counted ("1. 3") without the count."""
    lines = [line for line in text.splitlines() if line.strip()]
    counted = len(lines) > 1 and all(_PLACE.match(line) for line in lines)
    return _PLACE.sub("", text) if counted else text


def _of_list(values: Sequence[Any]) -> list[int]:
    return list(chain.from_iterable(map(_of_item, values)))


def _of_item(item: Any) -> list[int]:
    """The number of one entry: itself, one in its text, or that of a field named after it."""
    if isinstance(item, dict):
        named = [value for key, value in item.items() if str(key).casefold() in _NAMES]
        return _of_item(named[0]) if named else []
    if isinstance(item, bool) or not isinstance(item, int | float | str):
        return []
    return _whole_numbers(str(item))[:1]


def _whole_numbers(text: str) -> list[int]:
    """The numbers in a text; of one with more digits than any list is long, the first ones."""
    return [int(digits[:_LONGEST]) for digits in _NUMBER.findall(text)]
