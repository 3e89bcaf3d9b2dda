"""One entry of the store on disk: a folder that appears whole, and can tell when it is damaged."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
UNFINISHED = ".tmp"
ALWAYS_READ = 1 << 20
"""Bytes up to which a file is read in full at each use. A larger one is read in full only where
its size or its times are not those of the moment it was written (docs/decisions/checksums.md)."""


def write_entry(folder: Path, key: Any, seconds: float, save: Callable[[Path], None]) -> None:
    """Let `save` fill a folder, add checksums, and give it its name; the caller holds its lock.

    seconds: what making it took.
    """
    for left in folder.parent.glob(f"{folder.name}.*{UNFINISHED}"):  # of a killed process
        shutil.rmtree(left, ignore_errors=True)
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}{UNFINISHED}")
    unfinished.mkdir(parents=True)
    try:
        save(unfinished)
        files = {name: _described(unfinished / name) for name in _names(unfinished)}
        _write_manifest(unfinished, {"files": files, "key": key, "seconds": round(seconds, 6)})
        remove_entry(folder)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def remove_entry(folder: Path) -> None:
    """Take an entry away; nobody sees it half removed."""
    with suppress(FileNotFoundError):
        gone = folder.with_name(f"{folder.name}.{os.getpid()}.gone{UNFINISHED}")
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def is_whole(folder: Path) -> bool:
    """Whether the entry is there and undamaged; notes that it was used. Damage gives a warning."""
    if not folder.exists():
        return False
    with suppress(OSError):  # a store may be read-only
        os.utime(folder / MANIFEST)
    if not (damaged := list(damage(folder))):
        return True
    if folder.exists():  # else it was cleaned away or replaced meanwhile
        names = ", ".join(damaged)
        warnings.warn(
            f"The stored entry {folder} is damaged ({names}) and is built again.", stacklevel=3
        )
    return False


def damage(folder: Path, *, thorough: bool = False) -> Iterator[str]:
    """The names of the files that are not as they were written.

    thorough: read every file in full, and have a damaged one read in full at its next use too.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = {str(name): dict(about) for name, about in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        yield MANIFEST
        return
    moved = False
    for name, about in files.items():
        path = folder / name
        trusted = not thorough and _untouched(path, about)
        if not trusted and _sum_or_none(path) != about.get("sha256"):
            with suppress(OSError):
                os.utime(path)
            yield name
        elif not _same_times(path, about):  # copied from elsewhere: whole, with other times
            files[name], moved = about | {"times": _times(path)}, True
    if moved:
        with suppress(OSError):
            _write_manifest(folder, manifest | {"files": files})


def seconds(folder: Path) -> float | None:
    """What making the entry took; None where there is none, or where it does not say."""
    try:
        said = json.loads((folder / MANIFEST).read_text(encoding="utf-8")).get("seconds")
    except (OSError, ValueError, AttributeError):
        return None
    return float(said) if isinstance(said, int | float) else None


def last_use(folder: Path) -> float:
    """When the entry was last read or written, seconds since the epoch."""
    path = folder / MANIFEST
    return (path if path.exists() else folder).stat().st_mtime


def size(folder: Path) -> int:
    """Bytes of all its files."""
    return sum((folder / name).stat().st_size for name in _names(folder))


def checksum(path: Path) -> str:
    """sha256 (hex) of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _names(folder: Path) -> list[str]:
    return [str(p.relative_to(folder)) for p in sorted(folder.rglob("*")) if p.is_file()]


def _described(path: Path) -> dict[str, Any]:
    bytes_ = path.stat().st_size
    if bytes_ > ALWAYS_READ:  # later uses trust its times, so it must have reached the disk
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    return {"sha256": checksum(path), "size": bytes_, "times": _times(path)}


def _untouched(path: Path, about: Mapping[str, Any]) -> bool:
    """Whether a large file has the size and the times it was written with."""
    size = about.get("size")
    if not isinstance(size, int) or size <= ALWAYS_READ or not path.exists():
        return False
    return path.stat().st_size == size and _same_times(path, about)


def _same_times(path: Path, about: Mapping[str, Any]) -> bool:
    return bool(_times(path) == about.get("times"))


def _times(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_mtime_ns, stat.st_ctime_ns]


def _sum_or_none(path: Path) -> str | None:
    try:
        return checksum(path)
    except OSError:
        return None


def _write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    part = folder.with_name(f"{folder.name}.{os.getpid()}.manifest{UNFINISHED}")
    part.write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
    part.replace(folder / MANIFEST)
