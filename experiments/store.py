"""Nothing is computed twice: content-addressed folders for stages, records for single texts."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from filelock import FileLock

from experiments.entry import is_whole, seconds, write_entry
from experiments.identity import fingerprint
from experiments.records import MemoryRecords, Records, SqliteRecords
from experiments.stopwatch import Stopwatch

T = TypeVar("T")
RECORDS = "records"
_READING = "reading"


class NotStorableError(ValueError):
    """What `save` raises for a value that its files could not give back exactly."""


class StageStore(Protocol):
    """What the pipeline asks of a store."""

    def remember(
        self,
        stage: str,
        key: Any,
        build: Callable[[], T],
        save: Callable[[T, Path], None],
        load: Callable[[Path], T],
        *,
        again: bool = False,
    ) -> T: ...

    def size(self, stage: str, key: Any) -> int | None: ...

    def seconds(self, stage: str, key: Any) -> float | None: ...

    def records(self, kind: str, key: Any) -> Records: ...


class Store:
    """A folder of stage results, each under the sha256 of all that can change it.

    dir: the folder; it may lie on a file system that several machines share.
    An entry is written under a temporary name and renamed, so a killed process leaves no half
    entry; its manifest carries checksums, and a damaged entry is built again with a warning.
    """

    def __init__(self, dir: str | Path = "runs/store") -> None:
        self.dir = dir
        self._clock = Stopwatch()

    def remember(
        self,
        stage: str,
        key: Any,
        build: Callable[[], T],
        save: Callable[[T, Path], None],
        load: Callable[[Path], T],
        *,
        again: bool = False,
    ) -> T:
        """The value of a stage: loaded where it is stored, else built and saved.

        key: a JSON value of all that can change the result (see `experiments.identity`).
        again: build it even where it is stored, and replace the entry.
        Processes that ask for the same entry at once build it once.
        Raises ValueError where the folder cannot be written; entries that stand there are read.
        """
        folder = self._folder(stage, key)
        if not again and is_whole(folder):
            with suppress(FileNotFoundError), self._clock(_READING):  # it may be cleaned away
                return load(folder)
        with self._locked(folder):
            if not again and is_whole(folder):
                with self._clock(_READING):
                    return load(folder)
            with self._clock(str(folder)):
                value = build()
            spent = self._clock.seconds.pop(str(folder))
            with self._explained():
                self._keep(folder, key, spent, lambda unfinished: save(value, unfinished))
        return value

    def size(self, stage: str, key: Any) -> int | None:
        """Bytes of an entry's files; None where it is not stored."""
        folder = self._folder(stage, key)
        if not folder.exists():
            return None
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    def seconds(self, stage: str, key: Any) -> float | None:
        """What making an entry took when it was made, without the stages that it asked for.

        None where it is not stored.
        """
        return seconds(self._folder(stage, key))

    def records(self, kind: str, key: Any) -> Records:
        """Values kept one by one (a vector a text, a score a pair) for one described model."""
        folder = Path(self.dir) / RECORDS / kind
        with self._explained():
            folder.mkdir(parents=True, exist_ok=True)
        return SqliteRecords(folder / f"{fingerprint(key)}.sqlite")

    def _folder(self, stage: str, key: Any) -> Path:
        digest = fingerprint({"stage": stage, "key": key})
        return Path(self.dir) / stage / digest[:2] / digest

    def _keep(self, folder: Path, key: Any, spent: float, save: Callable[[Path], None]) -> None:
        try:
            write_entry(folder, key, spent, save)
        except NotStorableError as error:
            warnings.warn(f"{error} It is made anew at each run.", stacklevel=4)

    @contextmanager
    def _locked(self, folder: Path) -> Iterator[None]:
        lock = FileLock(f"{folder}.lock")
        with self._explained():
            folder.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ValueError(
                f"The store {self.dir} cannot be written ({error.strerror or error}): make room "
                "with `python -m experiments.store gc --older-than 30d`, choose another folder "
                "with store.dir=…, or switch it off with store=off."
            ) from error


class NoStore:
    """`store=off`: everything is computed, nothing is kept beyond the process."""

    def remember(
        self,
        stage: str,
        key: Any,
        build: Callable[[], T],
        save: Callable[[T, Path], None],
        load: Callable[[Path], T],
        *,
        again: bool = False,
    ) -> T:
        """The value, built."""
        return build()

    def size(self, stage: str, key: Any) -> int | None:
        """None: nothing is stored."""
        return None

    def seconds(self, stage: str, key: Any) -> float | None:
        """None: nothing is stored."""
        return None

    def records(self, kind: str, key: Any) -> Records:
        """Records that live as long as the object that asked for them."""
        return MemoryRecords()


if __name__ == "__main__":
    from experiments.store_command import main

    sys.exit(main(sys.argv[1:]))
