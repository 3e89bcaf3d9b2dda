"""A leaderboard as a table: who, when, and the scores of both boards."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.leaderboard.numbers import score
from experiments.leaderboard.times import in_order, times_of

_SIDES = ("public", "private")
_TIMES = {"time", "date", "datetime", "timestamp", "at", "when", "day", "submitted", "created"}
_TIMES_OF_KOREA = ("시각", "시간", "일시", "날짜", "제출일")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The submissions of a leaderboard, first submitted first where the times tell it.

    names: k.  times: as written, "" where there is none.  in_time: whether this is the order in
        which they were submitted; else it is that of the file.
    scores: metric -> (public, private), float64 [k] each.
    digits: metric -> how many decimals the scores were rounded to.
    notes: one sentence for each line that was left out, and for what could not be read.
    """

    names: tuple[str, ...]
    times: tuple[str, ...]
    scores: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    digits: Mapping[str, int]
    notes: tuple[str, ...] = ()
    in_time: bool = False


def read_board(path: str | Path) -> Board:
    """Read a table with a column of names, and `public_X` and `private_X` for each metric X.

    Columns are separated by commas, semicolons or tabs. A column may be called `public` and
    `private` alone, a score may have a percent sign or a decimal comma (`score`), a time is read
    in any form that `times_of` knows. A line without a number in one of them is left out and said.
    Raises ValueError: no such file, no pair of columns, fewer than two submissions, or a score
    that is no number from 0 to 1.
    """
    path = Path(path).expanduser()
    rows = _rows(path)
    columns = list(rows[0]) if rows else []
    pairs = _pairs(columns)
    if not pairs:
        raise ValueError(
            f"{path} has the columns {', '.join(columns) or 'none'}: there must be a public and a "
            "private one, such as public_map and private_map."
        )
    scored = [column for pair in pairs.values() for column in pair]
    kept, notes = _complete(rows, scored, path)
    if len(kept) < 2:
        raise ValueError(
            f"{path} has {len(kept)} submissions with a public and a private score: give two or "
            "more."
        )
    texts = [column for column in columns if column not in scored]
    time = _time_column(texts, kept)
    name = next((column for column in texts if column != time), None)
    kept, in_time, said = _by_time(kept, time)
    return Board(
        names=tuple((row[name] if name else "") or f"#{n}" for n, row in enumerate(kept, 1)),
        times=tuple(row[time] if time else "" for row in kept),
        scores={
            metric: (_column(kept, public), _column(kept, private))
            for metric, (public, private) in pairs.items()
        },
        digits={
            metric: max(score(row[c])[1] for row in kept for c in pair)
            for metric, pair in pairs.items()
        },
        notes=(*notes, *said),
        in_time=in_time,
    )


def _rows(path: Path) -> list[dict[str, str]]:
    """Each line as column -> text, "" where the line is short."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} cannot be read as CSV: give leaderboard.path=FILE, saved as UTF-8."
        ) from error
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    lines = [
        line for line in csv.reader(StringIO(text, newline=""), delimiter=separator) if any(line)
    ]
    heads = [column.strip() for column in lines[0]] if lines else []
    return [
        dict(zip(heads, [*map(str.strip, line), *[""] * len(heads)], strict=False))
        for line in lines[1:]
    ]


def _pairs(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Metric -> its public and its private column."""
    by_side = {
        side: {
            column.lower().replace(side, "").strip(" _-@.") or "score": column
            for column in columns
            if side in column.lower()
        }
        for side in _SIDES
    }
    public, private = by_side["public"], by_side["private"]
    return {metric: (public[metric], private[metric]) for metric in public if metric in private}


def _complete(
    rows: Sequence[Row], columns: Sequence[str], path: Path
) -> tuple[list[Row], tuple[str, ...]]:
    kept, skipped = [], []
    for number, row in enumerate(rows, start=2):
        if empty := [column for column in columns if row[column].strip("-–— ") == ""]:
            skipped.append(f"{path}, line {number}: no {empty[0]}, left out.")
            continue
        for column in columns:
            if math.isnan(score(row[column])[0]):
                raise ValueError(
                    f'{path}, line {number}: {column} is "{row[column]}": give a score from 0 to '
                    "1, or one with a percent sign."
                )
        kept.append(row)
    return kept, tuple(skipped)


def _time_column(columns: Sequence[str], rows: Sequence[Row]) -> str | None:
    """The first column that is called one, else the first whose every value is a date."""
    for column in columns:
        words = {*re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]", " ", column).lower().split()}
        if words & _TIMES or any(word in column for word in _TIMES_OF_KOREA):
            return column
    return next((c for c in columns if times_of([row[c] for row in rows]) is not None), None)


def _by_time(rows: list[Row], column: str | None) -> tuple[list[Row], bool, tuple[str, ...]]:
    if column is None:
        return rows, False, ()
    times = times_of([row[column] for row in rows])
    if times is None:
        return rows, False, (f'The column "{column}" is not read as times: the lines stay as is.',)
    if in_order(times):
        return rows, True, ()
    order = sorted(range(len(rows)), key=times.__getitem__)
    return [rows[place] for place in order], True, ()


def _column(rows: Sequence[Row], column: str) -> NDArray[np.float64]:
    return np.array([score(row[column])[0] for row in rows])
