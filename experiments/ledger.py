"""How many systems have been tried on a dataset: an append-only file of trials and their scores.

The best of many equal systems looks better than it is, and by how much depends on how many were
tried. So every trial counts, a failed one too, and nothing takes one out again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_TABLES = """
CREATE TABLE IF NOT EXISTS lists (id INTEGER PRIMARY KEY, digest BLOB UNIQUE, query_ids TEXT);
CREATE TABLE IF NOT EXISTS trials (
  id INTEGER PRIMARY KEY, dataset BLOB, trial BLOB, public INTEGER, experiment TEXT, at REAL,
  UNIQUE (dataset, trial));
CREATE TABLE IF NOT EXISTS scores (
  trial INTEGER, side TEXT, metric TEXT, list INTEGER, row BLOB,
  PRIMARY KEY (trial, side, metric)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS openings (
  id INTEGER PRIMARY KEY, dataset BLOB, private INTEGER, question BLOB, at REAL,
  UNIQUE (dataset, private, question));
"""
_WAIT_SECONDS = 60.0
OPENED = "opened"
"""The side of private scores that were seen by opening a seal, which counts its looks itself."""


class ScoreRow(NamedTuple):
    """One metric's scores of one side of the split, a value a query, NaN where not scored.

    side: "public", "private", or OPENED.
    """

    side: str
    metric: str
    query_ids: tuple[str, ...]
    values: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One trial.

    trial: the fingerprint of what was tried.  public: the query ids it could be chosen by; the
        same parts on another public half are another trial.
    rows: its scores; none for a failed trial, and no private ones while the split is sealed.
    """

    trial: str
    public: tuple[str, ...]
    experiment: str
    rows: Sequence[ScoreRow] = ()


class Tally(NamedTuple):
    """How many trials an experiment added on a day (local, 2026-01-31) to one public half.

    public: how many queries that half has.  split: its number in this file.
    """

    day: str
    experiment: str
    split: int
    public: int
    trials: int


class Ledger:
    """A SQLite file that several processes may write at once; a killed one loses no trial.

    path: the file.  Trials are kept by the dataset's fingerprint: neither a new seed of the split
    nor another experiment starts the count again. A trial that is recorded again counts once.
    """

    def __init__(self, path: str | Path = "runs/ledger.db") -> None:
        self.path = path

    def record(self, dataset: str, entries: Iterable[LedgerEntry]) -> None:
        """Add trials on the dataset of this fingerprint: all of them, or none if it is killed.

        Rows are kept as float32. A known trial keeps its day; rows that it lacks are added.
        """
        place = text_digest(dataset)
        with self.transaction() as database:
            lists = QueryLists(database)
            for entry in entries:
                trial = lists.trial(entry.trial, entry.public)
                database.execute(
                    "INSERT OR IGNORE INTO trials VALUES (NULL, ?, ?, ?, ?, ?)",
                    (place, trial, lists.id(entry.public), entry.experiment, time.time()),
                )
                database.executemany(
                    "INSERT OR IGNORE INTO scores SELECT id, ?, ?, ?, ? FROM trials "
                    "WHERE dataset = ? AND trial = ?",
                    [
                        (row.side, row.metric, lists.id(row.query_ids), _packed(row), place, trial)
                        for row in entry.rows
                    ],
                )

    def count(self, dataset: str, public: Sequence[str] | None = None) -> int:
        """Distinct trials on the dataset; with `public`, those on that public half alone."""
        query = "SELECT count(*) FROM trials JOIN lists ON public = lists.id WHERE dataset = ?"
        values: tuple[bytes, ...] = (text_digest(dataset),)
        if public is not None:
            query += " AND digest = ?"
            values += (text_digest(_page(public)),)
        return int(self._read(query, values)[0][0]) if self._exists() else 0

    def tallies(self, dataset: str) -> list[Tally]:
        """Distinct trials by the day they were first run, the experiment and the public half."""
        query = (
            "SELECT date(at, 'unixepoch', 'localtime') AS day, experiment, public, query_ids, "
            "count(*) FROM trials JOIN lists ON public = lists.id WHERE dataset = ? "
            "GROUP BY day, experiment, public ORDER BY day, min(trials.id)"
        )
        found = self._read(query, (text_digest(dataset),)) if self._exists() else []
        return [Tally(d, name, key, len(json.loads(ids)), n) for d, name, key, ids, n in found]

    def scores(
        self, dataset: str, metric: str, query_ids: Sequence[str], side: str = "public"
    ) -> NDArray[np.float32]:
        """The rows [trials, queries] of every trial scored over these queries, oldest first."""
        query = (
            "SELECT row FROM scores JOIN trials ON trials.id = scores.trial "
            "JOIN lists ON lists.id = list "
            "WHERE dataset = ? AND metric = ? AND side = ? AND digest = ? ORDER BY trials.id"
        )
        values = (text_digest(dataset), metric, side, text_digest(_page(query_ids)))
        found = self._read(query, values) if self._exists() else []
        return _stacked([row for (row,) in found], len(query_ids))

    def failed(self, dataset: str) -> int:
        """Distinct trials on the dataset that have no score at all."""
        query = (
            "SELECT count(*) FROM trials WHERE dataset = ? AND id NOT IN (SELECT trial FROM scores)"
        )
        return int(self._read(query, (text_digest(dataset),))[0][0]) if self._exists() else 0

    def has_scores(self, dataset: str, trial: str, public: tuple[str, ...]) -> bool:
        """Whether a trial has a score on the dataset with this public half."""
        mark = trial_digest(trial, text_digest(_page(public)))
        query = (
            "SELECT 1 FROM scores JOIN trials ON trials.id = scores.trial "
            "WHERE dataset = ? AND trials.trial = ? LIMIT 1"
        )
        return self._exists() and bool(self._read(query, (text_digest(dataset), mark)))

    def _exists(self) -> bool:
        return Path(self.path).exists()

    def _read(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self.transaction() as database:
            return database.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The file while no other process writes: all that is done in it stays, or nothing."""
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(
                sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
            ) as database:
                # The lock is taken at once: one that is raised later could not be waited for.
                database.execute("BEGIN IMMEDIATE")
                for table in filter(str.strip, _TABLES.split(";")):
                    database.execute(table)
                yield database
                database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise ValueError(
                f"The ledger {path} cannot be written ({error}): make room or wait for the other "
                f"process, name another file with ledger.path=…, or count nothing with ledger=null."
            ) from error
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"The ledger {path} cannot be read ({error}): put a copy of it back, or move it "
                f"away and start the count of trials again."
            ) from None


class QueryLists:
    """Lists of query ids, each written once."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._known: dict[tuple[str, ...], tuple[int, bytes]] = {}

    def id(self, query_ids: tuple[str, ...]) -> int:
        """Its number in this file."""
        return self._entry(query_ids)[0]

    def trial(self, mark: str, public: tuple[str, ...]) -> bytes:
        """What a trial is known by: what was tried, and the half it could be chosen by."""
        return trial_digest(mark, self._entry(public)[1])

    def _entry(self, query_ids: tuple[str, ...]) -> tuple[int, bytes]:
        if query_ids not in self._known:
            page = _page(query_ids)
            digest = text_digest(page)
            self._database.execute(
                "INSERT OR IGNORE INTO lists VALUES (NULL, ?, ?)", (digest, page)
            )
            found = self._database.execute("SELECT id FROM lists WHERE digest = ?", (digest,))
            self._known[query_ids] = (int(found.fetchone()[0]), digest)
        return self._known[query_ids]


def _page(query_ids: Sequence[str]) -> str:
    return json.dumps(list(query_ids), ensure_ascii=False)


def text_digest(text: str) -> bytes:
    """How the file knows a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def trial_digest(mark: str, public: bytes) -> bytes:
    """How the file knows a trial: by what was tried and the digest of its public half."""
    return text_digest(f"{mark} {public.hex()}")


def _stacked(rows: Sequence[bytes], width: int) -> NDArray[np.float32]:
    return np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), width)


def _packed(row: ScoreRow) -> bytes:
    return np.asarray(row.values, dtype="<f4").tobytes()
