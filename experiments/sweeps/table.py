"""The trials of a sweep as a table for people, and as a file that is the same after a crash."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from experiments.atomic_file import atomic_file
from experiments.sweeps.trial import FAILED, Ending, best

BEST = "★"


def trial_table(trials: Sequence[Ending], rows: int | None = None) -> Table:
    """One row a trial, the best public score marked; private only where it may be shown.

    rows: how many there is room for: the latest ones, and always the best.
    """
    first = next((trial for trial in trials if trial.metric), None)
    sides = [side for side in ("public", "private") if first and side in first.scores]
    top = best(trials)
    table = Table(title_justify="left")
    table.add_column("trial", overflow="fold")
    for side in sides:
        table.add_column(f"{first.metric if first else ''}\n{side}", justify="right")
    table.add_column("seconds", justify="right")
    table.add_column("state")
    for trial in _that_fit(trials, top, rows):
        marked = trial is top
        cells = [_cell(trial, side, marked and side == "public") for side in sides]
        style = "bold" if marked else "red" if trial.state == FAILED else ""
        table.add_row(Text(trial.name), *cells, f"{trial.seconds:.2f}", trial.state, style=style)
    return table


def line(trial: Ending, done: int, total: int, marked: bool) -> str:
    """A trial in one line of plain text."""
    scores = [
        f"{side} {_cell(trial, side, marked and side == 'public')}"
        for side in ("public", "private")
        if side in trial.scores
    ]
    said = [f"{done}/{total}", trial.name, *scores, f"{trial.seconds:.2f} s", trial.state]
    return "  ".join(said if trial.reason is None else [*said, trial.reason])


def write_trials(path: Path, trials: Sequence[Ending]) -> None:
    """Write trials.json: every trial's name, swept values and means, or why it failed.

    It holds no time, no id and no trace of what was stored before: a sweep that was killed and
    run again leaves the same bytes.
    """
    rows = [
        {
            "trial": trial.name,
            "swept": trial.values,
            "scores": trial.scores,
            "failed": trial.reason,
        }
        for trial in trials
    ]
    with atomic_file(path) as part:
        text = json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False)
        part.write_text(text + "\n", encoding="utf-8")


def _that_fit(trials: Sequence[Ending], top: Ending | None, rows: int | None) -> list[Ending]:
    if rows is None or len(trials) <= rows:
        return list(trials)
    latest = list(trials[-rows:])
    return latest if top is None or top in latest else [top, *latest[1:]]


def _cell(trial: Ending, side: str, marked: bool) -> str:
    score = trial.score(side)
    if score is None:
        return "–"
    return f"{score:.4f} {BEST}" if marked else f"{score:.4f}"
