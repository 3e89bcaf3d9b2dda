"""Reading the queries of a dataset: single questions, conversations, TREC topics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.datasets.lines import Line, read_lines
from experiments.datasets.records import Record, check_repeats, read_records
from experiments.schema import Query, Turn

ROLES = ("user", "assistant")
_HEADER = re.compile(r"(id|qid|query[-_ ]?id|topic[-_ ]?id)\t(text|query|question|title)", re.I)


@dataclass(frozen=True, slots=True)
class Questions:
    """The queries of a file, in its order."""

    file: Path
    queries: tuple[Query, ...]


def read_queries(
    path: Path,
    notes: list[str],
    ids: tuple[str, ...] = ("id", "_id"),
    messages: str = "messages",
) -> Questions:
    """The queries of a JSON Lines file; `ids` and `messages` name its fields.

    A line holds either all turns under `messages`, [{"role", "content"}], the last one to be
    answered; or "text", with earlier turns under "history" where there are any. "answer" (text)
    and "tags" (an object) are optional. The tag "turns" counts all turns: "1", "3", ...
    Raises ValueError: what `read_records` raises; a missing field, a repeated id, an empty text.
    """
    records = read_records(path, notes)
    queries = [_query(record, ids, messages) for record in records]
    _check([record.line for record in records], queries)
    return Questions(path, tuple(queries))


def read_topics(path: Path, notes: list[str]) -> Questions:
    """The queries of a table: id, tab, text; a header (query-id, text) may stand above.

    Raises ValueError: what `read_lines` raises; no tab, a repeated id, an empty text.
    """
    lines = read_lines(path, notes)
    lines = lines[1:] if _HEADER.fullmatch(lines[0].text) else lines
    queries = [_topic(line) for line in lines]
    _check(lines, queries)
    return Questions(path, tuple(queries))


def _check(lines: Sequence[Line], queries: Sequence[Query]) -> None:
    for line, query in zip(lines, queries, strict=True):
        if not query.text.strip():
            raise line.error(f'the text of query "{query.id}" is empty.')
    check_repeats(((line, q.id) for line, q in zip(lines, queries, strict=True)), "query")


def _query(record: Record, ids: tuple[str, ...], messages: str) -> Query:
    history, text = _conversation(record, messages)
    tags = {str(key): str(value) for key, value in record.mapping("tags").items()}
    tags["turns"] = str(len(history) + 1)
    return Query(record.id(*ids), text, history, record.optional_text("answer"), tags)


def _conversation(record: Record, messages: str) -> tuple[tuple[Turn, ...], str]:
    """The earlier turns and the text to answer."""
    if record.first(messages, "text") == "text":
        return _turns(record, "history") if record.fields.get("history") else (), record.text(
            "text"
        )
    turns = _turns(record, messages)
    if not turns or turns[-1].role != "user":
        raise record.line.error("the last turn must be the user's: it is the one to answer.")
    return turns[:-1], turns[-1].text


def _turns(record: Record, name: str) -> tuple[Turn, ...]:
    return tuple(_turn(turn) for turn in record.objects(name))


def _turn(record: Record) -> Turn:
    role = record.text("role")
    if role not in ROLES:
        raise record.line.error(f'the role "{role}" is unknown; wanted: {" or ".join(ROLES)}.')
    return Turn(role, record.text("content"))


def _topic(line: Line) -> Query:
    name, tab, text = line.text.partition("\t")
    if not tab:
        raise line.error("an id, a tab and a text are wanted, but there is no tab.")
    if not name.strip():
        raise line.error("the id before the tab is empty.")
    return Query(name, text, tags={"turns": "1"})
