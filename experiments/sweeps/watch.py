"""The trials so far, shown while a sweep runs, whatever process or machine runs them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from experiments.sweeps.table import line, trial_table
from experiments.sweeps.trial import Ending, best, endings
from generation.progress import duration

_EVERY = 0.3  # seconds between two looks
_AROUND_TABLE = 9  # lines of a terminal that are not trials


class Watch:
    """Looks into the sweep's folder from a thread of its own: workers only write files there.

    A terminal gets a table that grows and a bar with the time left; a pipe gets a line a trial.
    """

    def __init__(self, folder: Path, *, total: int) -> None:
        self.folder = folder
        self.total = total
        self._console = Console()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._numbers: set[int] = set()
        self._live: Live | None = None
        self._started = time.monotonic()

    def start(self) -> None:
        """Begin to show."""
        if self._console.is_terminal:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._thread.start()

    def stop(self) -> list[Ending]:
        """Stop showing; returns the trials that have ended."""
        self._ended.set()
        self._thread.join()
        self._show()
        if self._live is not None:
            self._live.stop()
        return endings(self.folder)

    def _look(self) -> None:
        while not self._ended.wait(_EVERY):
            self._show()

    def _show(self) -> None:
        trials = endings(self.folder)
        if self._live is not None:
            table = trial_table(trials, self._rows(), one_line=True)
            self._live.update(Group(table, self._bar(len(trials))))
            self._live.refresh()
        else:
            self._tell(trials)

    def _tell(self, trials: list[Ending]) -> None:
        new = [trial for trial in trials if trial.number not in self._numbers]
        top = best(trials)
        for trial in new:
            self._numbers.add(trial.number)
            said = line(trial, len(self._numbers), self.total, trial is top)
            self._console.print(said, markup=False, highlight=False, soft_wrap=True)

    def _rows(self) -> int:
        return max(1, self._console.height - _AROUND_TABLE)

    def _bar(self, done: int) -> Table:
        grid = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=self.total, completed=done, width=40)
        grid.add_row(bar, f"{done} of {self.total}", self._left(done))
        return grid

    def _left(self, done: int) -> str:
        """How long the rest takes if it goes on as it went so far."""
        if not done:
            return ""
        seconds = (time.monotonic() - self._started) / done * (self.total - done)
        return f"{duration(seconds)} left"
