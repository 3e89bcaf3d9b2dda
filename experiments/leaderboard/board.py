"""A leaderboard as a table: who, when, and the scores of both boards."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_SIDES = ("public", "private")
_TIMES = ("time", "date", "at", "when", "day")


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The submissions of a leaderboard, in the order of the file.

    names: k.  times: as written, "" where there is none.
    scores: metric -> (public, private), float64 [k] each.
    digits: metric -> how many decimals the scores were rounded to.
    skipped: one sentence for each line that was left out.
    """

    names: tuple[str, ...]
    times: tuple[str, ...]
    scores: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    digits: Mapping[str, int]
    skipped: tuple[str, ...] = ()


def read_board(path: str | Path) -> Board:
    """Read a CSV file with a column of names, and `public_X` and `private_X` for each metric X.

    A column may be called `public` and `private` alone. A line without a number in one of them is
    left out and said.
    Raises ValueError: no such file, no pair of columns, fewer than two submissions, or a score
    that is no number.
    """
    path = Path(path).expanduser()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as CSV: give leaderboard.path=FILE.") from error
    columns = list(rows[0]) if rows else []
    pairs = _pairs(columns)
    if not pairs:
        raise ValueError(
            f"{path} has the columns {', '.join(map(str, columns)) or 'none'}: there must be a "
            "public and a private one, such as public_map and private_map."
        )
    kept, skipped = _complete(rows, [column for pair in pairs.values() for column in pair], path)
    if len(kept) < 2:
        raise ValueError(f"{path} has {len(kept)} scored submissions: give two or more.")
    known = {column for pair in pairs.values() for column in pair}
    texts = [column for column in columns if column not in known]
    time = next((c for c in texts if any(word in str(c).lower() for word in _TIMES)), None)
    name = next((column for column in texts if column != time), None)
    return Board(
        names=tuple(str(row[name]) if name else f"#{place}" for place, row in enumerate(kept, 1)),
        times=tuple(str(row[time]) if time else "" for row in kept),
        scores={
            metric: (_column(kept, public), _column(kept, private))
            for metric, (public, private) in pairs.items()
        },
        digits={metric: _digits(kept, pair) for metric, pair in pairs.items()},
        skipped=skipped,
    )


def _pairs(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Metric -> its public and its private column."""
    by_side = {
        side: {
            str(column).lower().replace(side, "").strip(" _-@") or "score": column
            for column in columns
            if side in str(column).lower()
        }
        for side in _SIDES
    }
    public, private = by_side["public"], by_side["private"]
    return {metric: (public[metric], private[metric]) for metric in public if metric in private}


def _complete(
    rows: Sequence[Mapping[str, str]], columns: Sequence[str], path: Path
) -> tuple[list[Mapping[str, str]], tuple[str, ...]]:
    kept, skipped = [], []
    for number, row in enumerate(rows, start=2):
        if empty := [column for column in columns if not (row[column] or "").strip()]:
            skipped.append(f"{path}, line {number}: no {empty[0]}, left out.")
            continue
        for column in columns:
            _number(row[column], column, path, number)
        kept.append(row)
    return kept, tuple(skipped)


def _number(text: str, column: str, path: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ValueError(f'{path}, line {line}: {column} is "{text}": give a score from 0 to 1.')
    return value


def _column(rows: Sequence[Mapping[str, str]], column: str) -> NDArray[np.float64]:
    return np.array([float(row[column]) for row in rows])


def _digits(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> int:
    """The most decimals that any of these scores is written with."""
    return max(len(row[c].strip().partition(".")[2]) for row in rows for c in columns)
