"""The science competition's format: JSON Lines, in a file whose name ends in .csv."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from experiments.datasets import strict_json
from experiments.schema import Dataset
from experiments.submissions.base import Submission
from experiments.submissions.entries import Entry
from experiments.submissions.lines import Line, Problem
from experiments.submissions.rows import Parsed, Row

KEYS = ("eval_id", "standalone_query", "topk", "answer", "references")


class ScienceQASubmission(Submission):
    """One JSON object a query: eval_id, standalone_query, topk, answer, references.

    eval_id is a whole number; topk holds at most k document ids, none for a message that needs no
    document; references gives each of them as {score, content}, with 1/rank as the score where
    the ranking has none. The competition scores topk alone, so references of another form are
    noted and not held against a file. Keys beyond the five are allowed.
    """

    filename = "submission.csv"
    query_name = "eval_id"

    def __init__(self, path: str | None = None, *, k: int = 3) -> None:
        super().__init__(path, k)

    def render(self, entries: Sequence[Entry]) -> str:
        return "".join(f"{json.dumps(_row(entry), ensure_ascii=False)}\n" for entry in entries)

    def parse(self, lines: Sequence[Line]) -> Parsed:
        rows: list[Row] = []
        problems: list[Problem] = []
        odd = 0
        for line in lines:
            try:
                row = _load(line.text)
            except ValueError as error:
                problems.append(Problem(line.number, str(error)))
                continue
            problems += [Problem(line.number, message) for message in _faults(row)]
            named = [(line.number, name) for name in _ids(row)]
            rows.append(
                Row(line.number, _query(row), named, told=bool(named) or row.get("topk") == [])
            )
            odd += not _well_formed(row.get("references", []))
        note = f"Rows whose references are not a list of {{score, content}}: {odd}."
        return Parsed(rows, problems, (note,) if odd else ())

    def accepts(self, dataset: Dataset) -> None:
        for query in dataset.queries:
            _eval_id(query.id)


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "eval_id": _eval_id(entry.query),
        "standalone_query": entry.asked,
        "topk": [result.document for result in entry.results],
        "answer": entry.answer,
        "references": [{"score": result.score, "content": result.text} for result in entry.results],
    }


def _eval_id(query: str) -> int:
    if not (query.isdecimal() and str(int(query)) == query):
        raise ValueError(
            f"submission=science_qa needs whole numbers as query ids, and one is {query!r}; "
            "use submission=trec or submission=kaggle."
        )
    return int(query)


def _load(text: str) -> dict[str, Any]:
    """The object of a line. Raises ValueError with the problem in words."""
    try:
        row = strict_json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise ValueError("the line is cut off: its JSON object does not end") from None
        raise ValueError(f"bad JSON: {error.msg} at character {error.colno}") from None
    except RecursionError:
        raise ValueError("bad JSON: nested too deeply") from None
    if not isinstance(row, dict):
        raise ValueError(f"not a JSON object but {_shown(row)}")
    return row


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON: a score must be a finite number")


def _faults(row: dict[str, Any]) -> Iterator[str]:
    yield from (f"the key {key!r} is missing" for key in KEYS if key not in row)
    if "eval_id" in row and type(row["eval_id"]) is not int:
        yield f"eval_id is {_shown(row['eval_id'])}, not a whole number"
    topk = row.get("topk", [])
    if not isinstance(topk, list):
        yield f"topk is {_shown(topk)}, not a list of document ids"
    else:
        odd = (name for name in topk if not isinstance(name, str))
        yield from (f"topk holds {_shown(name)}, not a document id (a string)" for name in odd)
    for key in ("standalone_query", "answer"):
        if not isinstance(row.get(key, ""), str):
            yield f"{key} is {_shown(row[key])}, not a string"
    if not isinstance(row.get("references", []), list):
        yield f"references is {_shown(row['references'])}, not a list"


def _query(row: dict[str, Any]) -> str | None:
    """The query that is meant, also where its number stands in quotes."""
    value = row.get("eval_id")
    if type(value) is int or (isinstance(value, str) and value.isdecimal()):
        return str(value)
    return None


def _ids(row: dict[str, Any]) -> list[str]:
    topk = row.get("topk")
    return [name for name in topk if isinstance(name, str)] if isinstance(topk, list) else []


def _well_formed(references: Any) -> bool:
    """Each is {score, content}; that they are a list is looked at elsewhere."""
    return not isinstance(references, list) or all(
        isinstance(item, dict)
        and isinstance(item.get("content"), str)
        and type(item.get("score")) in (int, float)
        and abs(item["score"]) < math.inf
        for item in references
    )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 40 else f"{text[:40]}…"
