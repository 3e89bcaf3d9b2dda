"""The labels that a reader gave to chunks, as the CSV file of a review page holds them."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from chunk_quality.review_sample import printable

SEPARATOR = ";"
DELIMITERS = ",;\t"
"""What spreadsheets put between cells, which depends on the language of the computer."""
WANTED = ("chunk_id", "labels")


class _Row(NamedTuple):
    line: int
    cells: list[str]


def load_labels(
    path: str | Path, chunk_ids: Collection[str] | None = None
) -> Mapping[str, tuple[str, ...]]:
    """Chunk id -> its labels, each once, in the order of the file; () where only a note stands.

    path: a CSV file with the columns `chunk_id` and `labels` (several with ";" between them) in
        any order among others, UTF-8 with or without a byte order mark, lines of any ending; cells
        are parted by that of `DELIMITERS` which the first line holds most often.
    chunk_ids: the chunks there are; a row about another is refused. None takes every row.

    Raises ValueError with file and line: no such file, not UTF-8, empty, a column missing, a row
    of another width than the header, a repeated or an unknown chunk id.
    """
    path = Path(path)
    header, *rows = _rows(path)
    names = [name.strip() for name in header.cells]
    for column in WANTED:
        if names.count(column) != 1:
            found = ", ".join(names)
            raise _error(path, header, f'one column "{column}" is wanted, and there are: {found}.')
    known = None if chunk_ids is None else {printable(name): name for name in chunk_ids}
    labels: dict[str, tuple[str, ...]] = {}
    for row in rows:
        if len(row.cells) != len(names):
            fault = f"{len(row.cells)} cells, where the header has {len(names)}: quote the commas."
            raise _error(path, row, fault)
        name, given = (row.cells[names.index(column)] for column in WANTED)
        if known is not None and name not in known:
            raise _error(
                path, row, f'"{name}" is no chunk here: label a sample of the same chunks.'
            )
        name = name if known is None else known[name]
        if name in labels:
            raise _error(path, row, f'chunk "{name}" stands here a second time: keep one row.')
        labels[name] = _split(given)
    return labels


def _split(cell: str) -> tuple[str, ...]:
    words = (word.strip() for word in cell.split(SEPARATOR))
    return tuple(dict.fromkeys(word for word in words if word))


def _rows(path: Path) -> list[_Row]:
    """The rows that are not blank, the header first, each with the line it begins on."""
    text = _text(path)
    header = next(filter(None, map(str.strip, text.replace("\r", "\n").split("\n"))), "")
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = [row for row in _numbered(path, reader) if any(cell.strip() for cell in row.cells)]
    if not rows:
        raise ValueError(f"{path} is empty: save the review page's CSV once more.")
    return rows


def _numbered(path: Path, reader: Iterator[list[str]]) -> Iterator[_Row]:
    line = 1
    try:
        for cells in reader:
            yield _Row(line, cells)
            line = reader.line_num + 1  # type: ignore[attr-defined]
    except csv.Error as error:
        raise ValueError(f"{path}, line {line}: no row of a CSV file ({error}).") from error


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read ({error.strerror}): give the CSV that the review page saved."
        ) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: UTF-8 is wanted: save the table as CSV UTF-8."
        ) from error


def _error(path: Path, row: _Row, problem: str) -> ValueError:
    return ValueError(f"{path}, line {row.line}: {problem}")
