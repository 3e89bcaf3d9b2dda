"""JSON as models write it: in a fence or in prose, with stray commas and quotes, or cut short."""

from __future__ import annotations

import json
import re
from typing import Any

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_CONTAINERS = ("{", "[")
_DEEPEST = 20
_FAILURES = 1000  # after so many openings of nothing, nothing is looked for
_BARE = re.compile(r"[^,:{}\[\]\n]*")
_BLANK = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def json_values(text: str, kind: type) -> list[Any]:
    """The objects (kind dict) or lists (kind list) in a text, outermost ones, in their order.

    Of one that ends too early, all that was finished before the end is kept: a word or number that
    may go on is not.
    """
    opening = "{" if kind is dict else "["
    found: list[Any] = []
    place, failures = text.find(opening), 0
    while place >= 0 and failures < _FAILURES:
        value, end = _value_at(text, place)
        if isinstance(value, kind):
            found.append(value)
        failures += value is None
        place = text.find(opening, max(end, place + 1))
    return found


def _value_at(text: str, place: int) -> tuple[Any, int]:
    """The value that starts there, None where none does, and where it ends."""
    try:
        return json.JSONDecoder().raw_decode(text, place)
    except (ValueError, RecursionError):
        reader = _Reader(text, place)
    try:
        return reader.value(), reader.place
    except (_NotJsonError, ValueError):
        return None, place + 1


class _NotJsonError(Exception):
    """This is something else."""


class _EndError(Exception):
    """The text ended within a value."""


class _Reader:
    """Reads one value from a place on, and forgives what models do wrong."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place, self.depth = text, place, 0

    def value(self) -> Any:
        opening = self._peek()
        if opening in _CONTAINERS:
            self.depth += 1
            if self.depth > _DEEPEST:
                raise _NotJsonError
            found = self._object() if opening == "{" else self._list()
            self.depth -= 1
            return found
        return self._string(opening) if opening in _QUOTES else self._bare()

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.place += 1
        try:
            while not self._closed("}"):
                key = self.value()
                if self._peek() != ":" or isinstance(key, dict | list):
                    raise _NotJsonError
                self.place += 1
                found[str(key)] = self.value()
        except _EndError:
            self.place = len(self.text)
        return found

    def _list(self) -> list[Any]:
        found: list[Any] = []
        self.place += 1
        try:
            while not self._closed("]"):
                found.append(self.value())
        except _EndError:
            self.place = len(self.text)
        return found

    def _closed(self, closing: str) -> bool:
        """Step over commas; whether the container ends here, which is then stepped over."""
        while self._peek() == ",":
            self.place += 1
        ends = self._peek() == closing
        self.place += ends
        return ends

    def _string(self, opening: str) -> str:
        closing, start = _QUOTES[opening], self.place + 1
        end = start
        while True:
            end = self.text.find(closing, end)
            if end < 0:
                raise _EndError
            if not self._escaped(end) and (closing == '"' or self._ends_string(end)):
                break
            end += 1
        self.place = end + 1
        return _unescaped(self.text[start:end])

    def _escaped(self, place: int) -> bool:
        """Whether an odd number of backslashes stands before it."""
        first = place
        while first and self.text[first - 1] == "\\":
            first -= 1
        return (place - first) % 2 == 1

    def _ends_string(self, place: int) -> bool:
        """An apostrophe within a word ends nothing: what follows a string is a sign of JSON."""
        rest = self.text[place + 1 : place + 40].lstrip()
        return not rest or rest[0] in ",:}]"

    def _bare(self) -> Any:
        match = _BARE.match(self.text, self.place)
        word = match.group().strip() if match else ""
        if match is None or not word:
            raise _NotJsonError
        if match.end() == len(self.text):
            raise _EndError
        self.place = match.end()
        if _NUMBER.fullmatch(word):
            return float(word) if set(word) & set(".eE") else int(word)
        return _WORDS.get(word.lower(), word)

    def _peek(self) -> str:
        blank = _BLANK.match(self.text, self.place)
        self.place = blank.end() if blank else self.place
        if self.place >= len(self.text):
            raise _EndError
        return self.text[self.place]


def _unescaped(inside: str) -> str:
    """The text between quotes; an escape that JSON does not know stays as it is."""
    try:
        text: str = json.loads(f'"{inside}"', strict=False)
    except json.JSONDecodeError:
        text = inside.replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n")
    return text
