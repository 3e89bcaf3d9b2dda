"""What every experiment on a dataset shares: what it scores, how, and where it writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.summary import point_latest

if TYPE_CHECKING:
    from experiments.evaluation import Evaluator
    from experiments.ledger import Ledger
    from experiments.schema import RunRecord, Tracker
    from experiments.store import StageStore
    from experiments.sweeps.trial import Trial


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The parts that are the same for all pipelines of one run.

    dataset: a loader with `load()`.  split: a divider with `divide(dataset)`.
    submission: a writer, or None.  folder: what runs are kept in.
    force: run trials again that the store holds.
    ledger: what counts every trial on a dataset; None counts nothing.
    review: the CSV of a review page, whose labels the scores are sliced by; None has no labels.
    trial: the point of a sweep that this run is; None in a run of its own.
    overrides: the words of the command line, kept with the run so that it can be repeated.
    """

    dataset: Any
    metrics: Evaluator
    split: Any
    tracker: Tracker
    submission: Any
    store: StageStore
    folder: str | Path = "runs"
    force: bool = False
    overrides: Sequence[str] = ()
    ledger: Ledger | None = None
    review: str | Path | None = None
    trial: Trial | None = None

    def track(self, record: RunRecord) -> str | None:
        """Write a finished run to the tracker and return its id, None where nothing is tracked.

        A trial's run stands under that of its sweep, named by what was swept.
        """
        return self.tracker.log(record if self.trial is None else self.trial.placed(record))

    def point_latest(self, folder: Path) -> None:
        """Let `runs/latest` lead to a finished run; a sweep does so for all its trials."""
        if self.trial is None:
            point_latest(folder.parent.parent, folder)

    def open_folder(self, title: str) -> Path:
        """A new folder for one run: runs/2026-01-31/142233-quickstart, or that of the trial."""
        if self.trial is not None:
            self.trial.folder.mkdir(parents=True, exist_ok=True)
            return self.trial.folder
        now = datetime.now()
        day = Path(self.folder) / f"{now:%Y-%m-%d}"
        day.mkdir(parents=True, exist_ok=True)
        for again in range(1, 10_000):
            name = f"{now:%H%M%S}-{title}" + (f"-{again}" if again > 1 else "")
            try:
                (day / name).mkdir()
            except FileExistsError:
                continue
            return day / name
        raise FileExistsError(f"{day} holds too many runs of this second")
