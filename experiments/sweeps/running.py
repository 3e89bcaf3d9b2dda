"""A sweep that is under way: opened once, with a parent run for its trials, and closed once."""

from __future__ import annotations

import atexit
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.utils import instantiate
from omegaconf import DictConfig
from rich.console import Console

from experiments import console
from experiments.schema import Dataset, RunRecord
from experiments.summary import point_latest
from experiments.sweeps.abandoned import Life, end_abandoned
from experiments.sweeps.composed_once import compose_once
from experiments.sweeps.plan import SweepPlan, plan
from experiments.sweeps.table import trial_table, write_trials
from experiments.sweeps.trial import FAILED, STORED, Ending, SweepHeader, best
from experiments.sweeps.watch import Watch
from experiments.tracking.names import stored_name

if TYPE_CHECKING:
    from experiments.ledger import Ledger
    from experiments.overfit_report.of_sweep import SweepReport
    from experiments.schema import Tracker

_PARTS = ("chunker", "enrich", "query", "retriever", "gate", "postprocessor", "submission", "store")
_SHOWN = 60  # trials of a long sweep in the last table; all of them are in trials.json


@dataclass(slots=True)
class RunningSweep:
    """What is open between the first trial and the last."""

    folder: Path
    header: SweepHeader
    plan: SweepPlan
    dataset: Dataset | None
    tracker: Tracker
    watch: Watch
    started: float
    life: Life
    split: Any = None  # None where it is swept
    ledger: Ledger | None = None
    open: bool = True

    @classmethod
    def begin(cls, config: DictConfig) -> RunningSweep:
        """Check what all trials share, make the parent run, and start to show the trials.

        Raises ValueError for a mistake that would hit every trial.
        """
        made = plan(config)
        dataset = _checked_dataset(config, made)
        tracker: Tracker = instantiate(config.tracker, _convert_="all")
        folder = Path(config.hydra.sweep.dir)
        title = _title(config, made)
        sweep = cls(
            folder=folder,
            header=SweepHeader(
                experiment=title,
                swept=made.names,
                total=made.total,
                group=dataset.name if dataset else title,
            ),
            plan=made,
            dataset=dataset,
            tracker=tracker,
            watch=Watch(folder, total=made.total),
            started=time.time(),
            life=Life(folder),
            split=None if made.touches("split") else instantiate(config.split, _convert_="all"),
            ledger=instantiate(config.ledger, _convert_="all"),
        )
        sweep._start(config)
        return sweep

    def end(self) -> bool:
        """Close it: the table, trials.json, the parent's totals. True where a trial failed."""
        if not self.open:
            return False
        self.open = False
        trials = self.watch.stop()
        failed = [trial for trial in trials if trial.state == FAILED]
        table = self.folder / "trials.json"
        write_trials(table, trials)
        point_latest(self.folder.parent, self.folder)
        if trials:
            self._show(trials, failed)
        report = self._report()
        record = self._record(trials, failed, [table, *([report.page] if report else [])])
        if report:
            record = replace(
                record,
                params={**record.params, "verdict": report.word},
                measures={**record.measures, **report.measures},
            )
        self.tracker.close(self.header.parent, record)
        self.life.end()
        return bool(failed)

    def _start(self, config: DictConfig) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.life.begin()
        record = self._record([], [], [])
        parent = self.tracker.open(record)
        self.life.note(parent, record, self.tracker)
        end_abandoned(self.folder.parent, self.tracker)
        self.header = SweepHeader(
            experiment=self.header.experiment,
            swept=self.header.swept,
            total=self.header.total,
            group=self.header.group,
            parent=parent,
        )
        self.header.write(self.folder)
        compose_once()
        _quiet(str(config.hydra.sweeper.get("_target_")))
        atexit.register(self.end)  # an interrupted sweep is closed too
        self.watch.start()

    def _record(
        self, trials: Sequence[Ending], failed: Sequence[Ending], files: Sequence[Path]
    ) -> RunRecord:
        """The parent run: what was swept over, the totals, and who was best in public."""
        top = best(trials)
        missing = self.header.total - len(trials)
        lost = [f"trials that failed: {len(failed)}"] if failed else []
        lost += [f"trials that did not run: {missing}"] if missing else []
        return RunRecord(
            name=f"{self.header.experiment} over {', '.join(self.header.swept.values())}",
            experiment=self.header.experiment,
            dataset=self.dataset,
            started=self.started,
            ended=time.time(),
            group=self.header.group,
            params={**self.plan.values, **({"best": top.name} if top else {})},
            measures={
                "trials": len(trials),
                "trials_failed": len(failed),
                "trials_stored": sum(trial.state == STORED for trial in trials),
                **_best_scores(top),
            },
            files=files,
            failure="; ".join(lost) or None,
        )

    def _report(self) -> SweepReport | None:
        """The overfitting report of the winner, where the trials can be compared."""
        if self.dataset is None or self.split is None:
            swept = "dataset" if self.dataset is None else "split"
            console.say(
                console.terminal(),
                f"No overfitting report: the {swept} was swept, and trials on other questions "
                "cannot be compared.",
            )
            return None
        from experiments.overfit_report.of_sweep import sweep_report

        return sweep_report(self.folder, self.dataset, self.split, self.ledger)

    def _show(self, trials: Sequence[Ending], failed: Sequence[Ending]) -> None:
        out = Console()
        out.print(trial_table(trials, _SHOWN))
        stored = sum(trial.state == STORED for trial in trials)
        said = [f"{len(trials)} of {self.header.total} trials", f"{stored} of them stored before"]
        lines = [", ".join(said) + f". All of them: {self.folder / 'trials.json'}"]
        if best(trials) is None and any(trial.metric for trial in trials):
            lines.append(
                "No best is marked: the trials differ in dataset, split, metric or in how many "
                "queries they score."
            )
        lines += [f"failed: {trial.name}: {trial.reason}" for trial in failed]
        for line in lines:
            out.print(line, markup=False, highlight=False, soft_wrap=True)


def _title(config: DictConfig, made: SweepPlan) -> str:
    """What the sweep is called; a list of experiments has no title of its own."""
    chosen = made.values.get("experiment") or config.hydra.runtime.choices.get("experiment")
    return str(config.experiment.get("title") or chosen)


def _checked_dataset(config: DictConfig, made: SweepPlan) -> Dataset | None:
    """The dataset that all trials share, read once to see that it can be; None where it varies."""
    if made.touches("dataset"):
        return None
    dataset: Dataset = instantiate(config.dataset, _convert_="all").load()
    for part in _PARTS:
        if not made.touches(part):
            instantiate(config[part], _convert_="all")  # building is free, and finds wrong options
    notes = list(dataset.notes)
    if not made.touches("metrics"):
        metrics = instantiate(config.metrics, _convert_="all")
        metrics.check(spans=dataset.spans is not None)
    if not made.touches("split"):
        notes += instantiate(config.split, _convert_="all").divide(dataset).notes
    console.show_notes(notes)
    return dataset


def _quiet(sweeper: str) -> None:
    """Optuna's own lines would stand between those of the trials."""
    if "optuna" in sweeper:
        import logging

        from optuna import logging as optuna

        optuna.set_verbosity(logging.WARNING)


def _best_scores(top: Ending | None) -> dict[str, float]:
    """The scores of the best trial, under the names that the trials' own have in the tracker."""
    if top is None or top.metric is None:
        return {}
    name = stored_name(top.metric)
    scores = {side: top.score(side) for side in ("public", "private")}
    return {f"{side}/{name}": score for side, score in scores.items() if score is not None}
