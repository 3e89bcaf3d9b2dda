"""Nothing is computed twice: content-addressed folders for stages, records for single texts."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from filelock import FileLock

from experiments.identity import fingerprint
from experiments.records import MemoryRecords, Records, SqliteRecords

T = TypeVar("T")
MANIFEST = "manifest.json"


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

    def records(self, kind: str, key: Any) -> Records: ...


class Store:
    """A folder of stage results, each under the sha256 of all that can change it.

    dir: the folder; it may lie on a file system that several machines share.
    An entry is written under a temporary name and renamed, so a killed process leaves no half
    entry; its manifest carries checksums, and a damaged entry is built again with a warning.
    """

    def __init__(self, dir: str | Path = "runs/store") -> None:
        self.dir = dir

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
        """
        folder = self._folder(stage, key)
        if not again and _is_whole(folder):
            return load(folder)
        with FileLock(f"{folder}.lock"):
            if not again and _is_whole(folder):
                return load(folder)
            value = build()
            _write(folder, key, lambda unfinished: save(value, unfinished))
        return value

    def records(self, kind: str, key: Any) -> Records:
        """Values kept one by one (a vector a text, a score a pair) for one described model."""
        folder = Path(self.dir) / "records" / kind
        folder.mkdir(parents=True, exist_ok=True)
        return SqliteRecords(folder / f"{fingerprint(key)}.sqlite")

    def _folder(self, stage: str, key: Any) -> Path:
        digest = fingerprint({"stage": stage, "key": key})
        folder = Path(self.dir) / stage / digest[:2] / digest
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder


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

    def records(self, kind: str, key: Any) -> Records:
        """Records that live as long as the object that asked for them."""
        return MemoryRecords()


def checksum(path: Path) -> str:
    """sha256 (hex) of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(folder: Path, key: Any, save: Callable[[Path], None]) -> None:
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    save(unfinished)
    sums = {path.name: checksum(path) for path in sorted(unfinished.iterdir())}
    manifest = json.dumps({"files": sums, "key": key}, ensure_ascii=False, indent=1)
    (unfinished / MANIFEST).write_text(manifest, encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def _is_whole(folder: Path) -> bool:
    if not folder.exists():
        return False
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        whole = all(checksum(folder / name) == value for name, value in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        warnings.warn(f"The stored entry {folder} is damaged and is built again.", stacklevel=3)
    return whole
