"""Run the experiment that was asked for; in a sweep, a trial that fails is not the end of it."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from experiments.mistakes import FAULT, explained, reason
from experiments.schema import Report, RunRecord
from experiments.sweeps.trial import FAILED, RUN, STORED, Ending, Trial, current

if TYPE_CHECKING:
    from experiments.schema import Mean, Tracker

WORST = -1.0
"""Below every objective: means lie in 0…1, and one that should be small counts negatively."""


def attempt(run: Callable[[], Report], config: DictConfig) -> float:
    """Run, and return what a sweeper maximises: WORST for a trial that failed or has no labels.

    A single run that fails ends the process with its one sentence. A trial that fails leaves its
    reason in its folder, in the tracker and in the sweep's table, and counts in the ledger;
    `fail_fast` ends the sweep there.
    """
    trial = current()
    if trial is None:
        with explained():
            return objective(run())
    # Hydra's copy of the options, with any key and password among them.
    (trial.folder.parent / "multirun.yaml").unlink(missing_ok=True)
    started = time.time()
    try:
        report = run()
    except Exception as error:
        _fail(trial, config, error, started)
        if config.fail_fast:
            sys.exit(FAULT)
        return WORST
    _ending(trial, report, time.time() - started).write(trial.folder)
    return objective(report)


def objective(report: Report) -> float:
    """The public mean of the first metric, negative where a smaller one is better.

    A query that it does not cover counts as the worst, so that no trial wins by calls that failed.
    """
    if report.primary is None:
        return WORST
    missing, up = _not_covered(report), report.higher_is_better
    worst = min(report.primary, 0.0) if up else max(report.primary, 1.0)
    value = report.primary * (1.0 - missing) + worst * missing
    return value if up else -value


def _not_covered(report: Report) -> float:
    """The share of the public queries that have no score."""
    public = _last(report).get("public", {}).get(report.metric or "")
    return 1.0 - public.n_scored / public.n_total if public and public.n_total else 0.0


def _last(report: Report) -> Mapping[str, Mapping[str, Mean]]:
    """The means of the pipeline whose score counts."""
    return list(report.means.values())[-1] if report.means else {}


def _ending(trial: Trial, report: Report, seconds: float) -> Ending:
    means = _last(report)
    return Ending(
        number=trial.number,
        name=trial.name,
        values=trial.values,
        state=STORED if report.stored else RUN,
        seconds=seconds,
        metric=report.metric,
        higher_is_better=report.higher_is_better,
        scores={side: {name: mean.mean for name, mean in by.items()} for side, by in means.items()},
        scored={
            side: {name: f"{mean.n_scored}/{mean.n_total}" for name, mean in by.items()}
            for side, by in means.items()
        },
    )


def _fail(trial: Trial, config: DictConfig, error: Exception, started: float) -> None:
    from experiments.sweeps.failed_trial import count_failed  # slow, and seldom asked

    trial.folder.mkdir(parents=True, exist_ok=True)
    story = "".join(traceback.format_exception(error))
    (trial.folder / "error.txt").write_text(story, encoding="utf-8")
    why = reason(error)
    if uncounted := count_failed(trial, config):
        _add(trial, f"The ledger does not know of it: {uncounted}")
    _track(trial, config, why, started)
    Ending(
        number=trial.number,
        name=trial.name,
        values=trial.values,
        state=FAILED,
        seconds=time.time() - started,
        reason=why,
    ).write(trial.folder)


def _track(trial: Trial, config: DictConfig, why: str, started: float) -> None:
    """The failed trial in the tracker; one that cannot be reached must not end the sweep either."""
    from hydra.utils import instantiate

    try:
        tracker: Tracker = instantiate(config.tracker, _convert_="all")
        tracker.log(
            RunRecord(
                name=trial.name,
                experiment=trial.sweep.experiment,
                dataset=None,
                started=started,
                ended=time.time(),
                group=trial.sweep.group,
                parent=trial.sweep.parent,
                params=trial.values,
                failure=why,
                files=[trial.folder / "error.txt"],
            )
        )
    except Exception as error:
        _add(trial, f"The tracker does not know of it: {reason(error)}")


def _add(trial: Trial, sentence: str) -> None:
    with (trial.folder / "error.txt").open("a", encoding="utf-8") as file:
        file.write(f"\n{sentence}\n")
