"""Records kept one by one, by exact text: vectors, scores of pairs, answers of models."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from threading import Condition
from typing import Protocol

from filelock import FileLock, Timeout

_TABLE = (
    "CREATE TABLE IF NOT EXISTS records (key BLOB PRIMARY KEY, sum BLOB, value BLOB) WITHOUT ROWID"
)
_MAXIMUM_VARIABLES = 500
_WAIT_SECONDS = 60.0
_ASKED_AGAIN = 0.2  # seconds


class Records(Protocol):
    """Text -> bytes."""

    def get(self, texts: Sequence[str]) -> dict[str, bytes]:
        """The values of those texts that are known."""
        ...

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keep values; the first one of a text stays."""
        ...

    def claimed(self, text: str, ended: Callable[[], bool]) -> AbstractContextManager[None]:
        """While the block lasts, nobody else is in such a block for this text.

        ended: asked now and then whether to wait on. The block runs without the claim where not.
        """
        ...


class MemoryRecords:
    """Records of one process."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}
        self._claims: set[str] = set()
        self._released = Condition()

    def get(self, texts: Sequence[str]) -> dict[str, bytes]:
        """The values of those texts that are known."""
        return {text: self._values[text] for text in texts if text in self._values}

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keep values; the first one of a text stays."""
        self._values = {**values, **self._values}

    @contextmanager
    def claimed(self, text: str, ended: Callable[[], bool]) -> Iterator[None]:
        """While the block lasts, no other thread is in such a block for this text."""
        with self._released:
            while text in self._claims and not ended():
                self._released.wait(_ASKED_AGAIN)
            self._claims.add(text)
        try:
            yield
        finally:
            with self._released:
                self._claims.discard(text)
                self._released.notify_all()


class SqliteRecords:
    """Records in one SQLite file that several processes may use at once.

    Each value stands beside its checksum: a value that does not fit is treated as unknown. A file
    that SQLite cannot read is set aside with a warning, and a new one begun.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, texts: Sequence[str]) -> dict[str, bytes]:
        """The values of those texts that are known."""
        with suppress(OSError):  # what is in use is not cleaned away; a store may be read-only
            os.utime(self.path)
        by_key = {_digest(text.encode("utf-8", "surrogatepass")): text for text in texts}
        found: dict[str, bytes] = {}
        with self._connection() as database:
            for keys in _blocks(list(by_key)):
                marks = ",".join("?" * len(keys))
                query = f"SELECT key, sum, value FROM records WHERE key IN ({marks})"
                for key, total, value in database.execute(query, keys):
                    if total == _digest(value):
                        found[by_key[key]] = value
        return found

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keep values; a whole one that is there stays, a damaged one is replaced."""
        known = self.get(list(values))
        rows = [
            (_digest(text.encode("utf-8", "surrogatepass")), _digest(value), value)
            for text, value in values.items()
            if text not in known
        ]
        with self._connection() as database:
            database.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows)

    @contextmanager
    def claimed(self, text: str, ended: Callable[[], bool]) -> Iterator[None]:
        """While the block lasts, no other thread or process is in such a block for this text.

        A killed process holds no claim. Texts share a few locks, so one may wait for another.
        """
        locks = self.locks
        locks.mkdir(exist_ok=True)
        lock = FileLock(locks / f"{_digest(text.encode('utf-8', 'surrogatepass')).hex()[:2]}.lock")
        while True:
            with suppress(Timeout):
                lock.acquire(timeout=_ASKED_AGAIN)
            if lock.is_locked or ended():
                break
        try:
            yield
        finally:
            lock.release()

    @property
    def locks(self) -> Path:
        """The folder of the claims."""
        return self.path.with_suffix(".locks")

    def damage(self) -> tuple[int, int]:
        """(damaged values, all values)."""
        with self._connection() as database:
            rows = database.execute("SELECT sum, value FROM records")
            right = [total == _digest(value) for total, value in rows]
        return right.count(False), len(right)

    def count(self) -> int:
        """How many values are kept."""
        with self._connection() as database:
            return int(database.execute("SELECT count(*) FROM records").fetchone()[0])

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._open()) as database, database:
                yield database
        except sqlite3.OperationalError as error:
            raise ValueError(
                f"{self.path} cannot be used ({error}): make room or wait for the other process, "
                "choose another folder with store.dir=…, or switch it off with store=off."
            ) from error

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=_WAIT_SECONDS)
        try:
            database.execute(_TABLE)
        except sqlite3.OperationalError:
            database.close()
            raise
        except sqlite3.DatabaseError:
            database.close()
            self.path.replace(self.path.with_suffix(".damaged"))
            warnings.warn(f"{self.path} could not be read and was set aside.", stacklevel=4)
            return self._open()
        return database


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()[:16]


def _blocks(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), _MAXIMUM_VARIABLES):
        yield keys[start : start + _MAXIMUM_VARIABLES]
