"""Which scores of some queries has anybody seen, whatever split the trials ran on?"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.ledger import OPENED, text_digest

if TYPE_CHECKING:
    from experiments.ledger import Ledger

_ROWS = (
    "SELECT scores.trial, list, row FROM scores JOIN trials ON trials.id = scores.trial "
    "WHERE dataset = ? AND metric = ? AND side != ? ORDER BY scores.trial"
)
_BY_OTHERS = (
    "SELECT DISTINCT scores.trial, list FROM scores JOIN trials ON trials.id = scores.trial "
    "WHERE dataset = ? AND side != ? "
    "AND scores.trial NOT IN (SELECT trial FROM scores WHERE metric = ?) ORDER BY scores.trial"
)


@dataclass(frozen=True, slots=True, eq=False)
class SeenScores:
    """What a ledger knows of a dataset's trials on some queries.

    scores: float32 [trials, queries], oldest first, NaN where nobody has seen a score; trials of
        which nobody has are left out. A trial that ran on another public half is here with all
        queries that it showed.
    by_others: bool [trials, queries], what was seen of the trials that were scored by other
        metrics alone.
    failed: trials on the dataset that have no score at all.
    """

    scores: NDArray[np.float32]
    by_others: NDArray[np.bool_]
    failed: int


def seen_scores(
    ledger: Ledger, dataset: str, metric: str, query_ids: Sequence[str], *, opened: bool = True
) -> SeenScores:
    """Read them; an empty ledger leaves no file.

    dataset: its fingerprint.  opened: what was seen by opening a seal is there too.
    """
    empty = np.empty((0, len(query_ids)), dtype=np.float32)
    if not Path(ledger.path).exists():
        return SeenScores(empty, empty.astype(bool), 0)
    mark, left_out = text_digest(dataset), "" if opened else OPENED
    with ledger.transaction() as database:
        rows = database.execute(_ROWS, (mark, metric, left_out)).fetchall()
        others = database.execute(_BY_OTHERS, (mark, left_out, metric)).fetchall()
        wanted = {number for _, number, *_ in [*rows, *others]}
        lists = {
            number: json.loads(page)
            for number, page in database.execute("SELECT id, query_ids FROM lists")
            if number in wanted
        }
    table = _laid_out(rows, lists, query_ids)
    seen = ~np.isnan(_laid_out([(*one, None) for one in others], lists, query_ids))
    return SeenScores(table, seen, ledger.failed(dataset))


def _laid_out(
    rows: Iterable[tuple[int, int, Any]], lists: dict[int, list[str]], query_ids: Sequence[str]
) -> NDArray[np.float32]:
    """Rows (trial, list, float32 bytes) as one table, NaN elsewhere; None stands for any score."""
    by_list: dict[int, list[tuple[int, Any]]] = defaultdict(list)
    trials: dict[int, int] = {}
    for trial, number, row in rows:
        by_list[number].append((trials.setdefault(trial, len(trials)), row))
    table = np.full((len(trials), len(query_ids)), np.nan, dtype=np.float32)
    for number, mine in by_list.items():
        place = {query: column for column, query in enumerate(lists[number])}
        here = [(at, place[query]) for at, query in enumerate(query_ids) if query in place]
        if here:
            columns, source = np.array(here).T
            told = [_unpacked(row, len(place))[source] for _, row in mine]
            table[np.array([at for at, _ in mine])[:, None], columns] = told
    return np.asarray(table[~np.isnan(table).all(axis=1)])


def _unpacked(row: bytes | None, width: int) -> NDArray[np.float32]:
    return np.zeros(width, "<f4") if row is None else np.frombuffer(row, "<f4")
