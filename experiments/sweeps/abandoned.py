"""Sweeps that were killed: their runs in the tracker say RUNNING until a later sweep ends them.

A living sweep holds the lock of its folder, and the system lets go of it when a process dies.
"""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from filelock import FileLock

from experiments.atomic_file import atomic_file
from experiments.locks import unheld
from experiments.schema import RunRecord
from experiments.sweeps.trial import endings

REASON = "The sweep was killed; the same command goes on with it."
_LOCK = "alive.lock"
_PAGE = "parent.json"


@runtime_checkable
class EndsRuns(Protocol):
    """A tracker that can end a run which another process began."""

    @property
    def address(self) -> str: ...

    def end_killed(self, run: str, record: RunRecord) -> bool: ...


class Life:
    """Held from the start of a sweep to its end, however it ends.

    folder: the sweep's own; its name stands beside those of the sweeps before.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = FileLock(folder / _LOCK)

    def begin(self) -> None:
        """Take the lock."""
        self._lock.acquire()

    def note(self, parent: str | None, record: RunRecord, tracker: Any) -> None:
        """Write down which run of which tracker would be left open."""
        if parent is not None and isinstance(tracker, EndsRuns):
            page = {
                "run": parent,
                "tracker": tracker.address,
                "host": platform.node(),
                "experiment": record.experiment,
                "group": record.group,
                "started": record.started,
            }
            with atomic_file(self.folder / _PAGE) as part:
                part.write_text(json.dumps(page, ensure_ascii=False), encoding="utf-8")

    def end(self) -> None:
        """The run is ended, or waits to be: nothing is left for others to do."""
        (self.folder / _PAGE).unlink(missing_ok=True)
        self._lock.release()
        (self.folder / _LOCK).unlink(missing_ok=True)


def end_abandoned(sweeps: Path, tracker: Any) -> int:
    """End the runs of killed sweeps under this folder; returns how many are settled.

    Those of another tracker or another machine, whose locks say nothing here, are left alone. So
    is a run that somebody deleted, and what a tracker that is away cannot end waits for the next.
    """
    if not isinstance(tracker, EndsRuns):
        return 0
    return sum(_ended(page, tracker) for page in sorted(sweeps.glob(f"*/{_PAGE}")))


def _ended(page: Path, tracker: EndsRuns) -> bool:
    with unheld(page.parent / _LOCK) as dead:
        if not dead:
            return False
        try:
            left = json.loads(page.read_text(encoding="utf-8"))
        except FileNotFoundError:  # it ended properly meanwhile
            return False
        if (left["tracker"], left["host"]) != (tracker.address, platform.node()):
            return False
        settled = tracker.end_killed(left["run"], _record(page, left))
        if settled:
            page.unlink(missing_ok=True)
        return settled


def _record(page: Path, left: dict[str, Any]) -> RunRecord:
    """What is known of it: how many trials ended, and when it gave its last sign of life."""
    signs = [page, *page.parent.glob("*/trial.json")]
    return RunRecord(
        name="",
        experiment=left["experiment"],
        dataset=None,
        started=left["started"],
        ended=min(time.time(), max(path.stat().st_mtime for path in signs)),
        group=left["group"],
        measures={"trials": len(endings(page.parent))},
        failure=REASON,
    )
