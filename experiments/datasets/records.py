"""JSON Lines: one object a line, with fields that are checked when they are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.datasets import strict_json
from experiments.datasets.lines import CUT_SHORT, LONE_RETURNS, REPLACEMENT, Line, read_lines
from experiments.datasets.paths import listing

_BAD_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_BAD_CHARACTER = re.compile("[\0\ud800-\udfff]")
_KINDS = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number with a fraction",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Record:
    """The object of one line."""

    line: Line
    fields: Mapping[str, Any]

    def first(self, *names: str) -> str:
        """The first of `names` that the object has."""
        for name in names:
            if name in self.fields:
                return name
        wanted = " or ".join(f'"{name}"' for name in names)
        found = listing(list(self.fields))
        raise self.line.error(f"the field {wanted} is missing; the line has {found}.")

    def id(self, *names: str) -> str:
        """An id: text or a whole number, read as text, so that 1 and "1" are the same id."""
        name = self.first(*names)
        value = self.fields[name]
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.wrong_type(name, "text or a whole number")
        if not str(value).strip():
            raise self.line.error(f'the id "{name}" is empty.')
        return str(value)

    def text(self, name: str) -> str:
        """A text that must be there; it may be empty."""
        if not isinstance(self.fields[self.first(name)], str):
            raise self.wrong_type(name, "text")
        return str(self.fields[name])

    def optional_text(self, name: str) -> str | None:
        """A text, or None where the field is missing or null."""
        return None if self.fields.get(name) is None else self.text(name)

    def objects(self, name: str) -> list[Record]:
        """A list of objects, each as a record of the same line."""
        values = self.fields[self.first(name)]
        if not isinstance(values, list):
            raise self.wrong_type(name, "a list of objects")
        for place, item in enumerate(values, start=1):
            if not isinstance(item, dict):
                kind = _KINDS[type(item)]
                raise self.line.error(
                    f'the field "{name}" must be a list of objects, its item {place} is {kind}.'
                )
        return [Record(self.line, item) for item in values]

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An object, empty where the field is missing or null."""
        value = self.fields.get(name) or {}
        if not isinstance(value, dict):
            raise self.wrong_type(name, "an object")
        return value

    def integer(self, name: str) -> int:
        """A whole number that must be there."""
        value = self.fields[self.first(name)]
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong_type(name, "a whole number")
        return value

    def wrong_type(self, name: str, wanted: str) -> ValueError:
        """The error about a field that holds another kind of value."""
        kind = _KINDS.get(type(self.fields[name]), "something else")
        return self.line.error(f'the field "{name}" must be {wanted}, this is {kind}.')


def read_records(path: Path, notes: list[str]) -> list[Record]:
    """The objects of a JSON Lines file; `notes` takes what was mended.

    NUL and lone surrogates, which JSON can write as escapes, become U+FFFD: offsets stay.
    Raises ValueError: what `read_lines` raises; a line that is not one JSON object.
    """
    lines = read_lines(path, notes)
    records = [_record(line) for line in lines]
    bad = [place for place, line in enumerate(lines) if _BAD_ESCAPE.search(line.text)]
    mended = {place: _without_bad(records[place].fields) for place in bad}
    changed = [place for place in bad if mended[place] != records[place].fields]
    for place in changed:
        records[place] = Record(lines[place], mended[place])
    if changed:
        notes.append(f"{path.name}: lines with NUL or lone surrogates, now U+FFFD: {len(changed)}.")
    return records


def check_repeats(ids: Iterable[tuple[Line, str]], kind: str) -> None:
    """Raises ValueError when an id of a `kind` ("document", "query") stands on two lines."""
    seen: dict[str, int] = {}
    for line, name in ids:
        if name in seen:
            raise line.error(f'the {kind} id "{name}" already stands on line {seen[name]}.')
        seen[name] = line.number


def _record(line: Line) -> Record:
    if line.text.lstrip().startswith("["):
        raise line.error("this is a JSON array; JSON Lines is wanted: one object a line.")
    try:
        value = strict_json.loads(line.text)
    except RecursionError:
        raise line.error("the JSON is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise line.error(_explained(line, error)) from error
    except ValueError as error:
        raise line.error(f"{error}.") from error
    if not isinstance(value, dict):
        raise line.error(f"a JSON object is wanted, this is {_KINDS[type(value)]}.")
    return Record(line, value)


def _explained(line: Line, error: json.JSONDecodeError) -> str:
    """What is wrong with a line that is no JSON, told by what it looks like."""
    text = line.text.strip()
    if text == "{":
        return "an object is spread over several lines; JSON Lines is wanted: one object a line."
    if not text.startswith("{") and ("," in text or "\t" in text):
        return "this looks like CSV; JSON Lines is wanted: one JSON object a line."
    if "\r" in text:
        return LONE_RETURNS
    if not line.ends and (not text.endswith("}") or error.pos >= len(line.text.rstrip())):
        return CUT_SHORT
    return f"not valid JSON ({error.msg}, column {error.colno})."


def _without_bad(value: Any) -> Any:
    if isinstance(value, str):
        return _BAD_CHARACTER.sub(REPLACEMENT, value)
    if isinstance(value, list):
        return [_without_bad(item) for item in value]
    if isinstance(value, dict):
        return {_without_bad(key): _without_bad(item) for key, item in value.items()}
    return value
