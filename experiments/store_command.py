"""`python -m experiments.store`: what the store holds, what can go, what is damaged."""

from __future__ import annotations

import argparse
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from experiments import entry
from experiments.locks import unheld
from experiments.records import SqliteRecords
from experiments.store import RECORDS

_SECONDS = {"h": 3600, "d": 86_400, "w": 604_800}
_DIGEST = re.compile("[0-9a-f]{64}")


def main(arguments: Sequence[str]) -> int:
    """Run `ls`, `gc` or `verify`; returns the exit code."""
    options = _parser().parse_args(arguments)
    store = Path(options.dir)
    if not store.is_dir():
        print(f"error: There is no store at {store}: name its folder with --dir.")
        return 2
    if options.command == "ls":
        return _list(store)
    return _verify(store) if options.command == "verify" else _clean(store, options.older_than)


@dataclass(frozen=True)
class Kept:
    """An entry's folder, or the file of one model's records."""

    stage: str
    path: Path

    @property
    def used(self) -> float:
        """Seconds since the epoch."""
        return self.path.stat().st_mtime if self.is_records else entry.last_use(self.path)

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.is_records else entry.size(self.path)

    @property
    def is_records(self) -> bool:
        return self.path.suffix == ".sqlite"

    def count(self) -> int:
        """One for an entry, the number of values for records."""
        return SqliteRecords(self.path).count() if self.is_records else 1

    def damage(self) -> str:
        """What is wrong with it, "" where nothing is."""
        if not self.is_records:
            return ", ".join(entry.damage(self.path, thorough=True))
        wrong, values = SqliteRecords(self.path).damage()
        return f"{wrong} of {values} values" if wrong else ""

    def remove(self) -> None:
        """Take it away; the caller has made sure that nobody writes it."""
        if self.is_records:
            self.path.unlink()
            shutil.rmtree(SqliteRecords(self.path).locks, ignore_errors=True)
        else:
            entry.remove_entry(self.path)


def contents(store: Path) -> Iterator[Kept]:
    """Everything that the store holds, stage by stage; other files of the folder are left alone."""
    for folder in sorted(store.glob("*/??/*")):
        if folder.is_dir() and _DIGEST.fullmatch(folder.name):
            yield Kept(folder.parent.parent.name, folder)
    for file in sorted((store / RECORDS).glob("*/*.sqlite")):
        yield Kept(f"{RECORDS}/{file.parent.name}", file)


def _list(store: Path) -> int:
    stages: dict[str, list[Kept]] = {}
    for kept in contents(store):
        stages.setdefault(kept.stage, []).append(kept)
    print(f"{'stage':24}{'entries':>10}{'size':>12}   last use")
    for stage, several in stages.items():
        size, entries = sum(kept.size for kept in several), sum(kept.count() for kept in several)
        used = datetime.fromtimestamp(max(kept.used for kept in several))
        print(f"{stage:24}{entries:>10,}{_megabytes(size):>12}   {used:%Y-%m-%d %H:%M}")
    return 0


def _verify(store: Path) -> int:
    damaged = [(kept, what) for kept in contents(store) if (what := kept.damage())]
    for kept, what in damaged:
        print(f"{kept.path}: damaged ({what}); it is built again when it is next needed.")
    print(f"{len(damaged)} damaged." if damaged else "Every checksum is right.")
    return 1 if damaged else 0


def _clean(store: Path, unused: float) -> int:
    limit, count, size = time.time() - unused, 0, 0
    for kept in contents(store):
        with _unwritten(kept.path) as ours:
            if ours and kept.path.exists() and kept.used <= limit:
                count, size = count + 1, size + kept.size
                kept.remove()
    for left in store.glob("*/??/*"):
        _remove_leftover(left)
    print(f"Removed {count} entries, {_megabytes(size)}.")
    return 0


def _remove_leftover(left: Path) -> None:
    """What a killed process left: unfinished folders, and locks that nobody holds."""
    if left.suffix not in (entry.UNFINISHED, ".lock"):
        return
    with _unwritten(left.with_name(left.name.split(".")[0])) as ours:
        if ours and left.suffix == entry.UNFINISHED:
            entry.remove_entry(left) if left.is_dir() else left.unlink(missing_ok=True)
        elif ours:
            left.unlink(missing_ok=True)


@contextmanager
def _unwritten(path: Path) -> Iterator[bool]:
    """Whether nobody writes the entry; nobody begins to while the block lasts."""
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(path, timeout=0)) as database:
            try:
                database.execute("BEGIN EXCLUSIVE")
            except sqlite3.DatabaseError:
                yield False
                return
            yield True
        return
    with unheld(Path(f"{path}.lock")) as free:
        yield free


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (`python -m experiments.store -h` shows the commands).\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m experiments.store", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, answer in (
        ("ls", "each stage with its entries, their size and last use"),
        ("gc", "remove what has not been used for long, and what killed processes left"),
        ("verify", "read every file in full; exit code 1 where one is damaged"),
    ):
        command = commands.add_parser(name, help=answer, description=answer)
        command.add_argument("--dir", default="runs/store", help="the store's folder")
        if name == "gc":
            command.add_argument("--older-than", type=_seconds, required=True, metavar="30d")
    return parser


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+)([hdw])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: write 30d, 12h or 4w")
    return float(match[1]) * _SECONDS[match[2]]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
