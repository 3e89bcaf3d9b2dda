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


def trial_table(
    trials: Sequence[Ending], rows: int | None = None, *, one_line: bool = False
) -> Table:
    """One row a trial, the best public score marked; private only where it may be shown.

    rows: how many there is room for: the latest ones, and always the best.
    one_line: cut a name that is too long for its column, so that no row takes two lines.
    Where the first metric differs between trials, each score bears its name.
    """
    sides = [side for side in ("public", "private") if any(side in t.scores for t in trials)]
    metrics = {trial.metric for trial in trials if trial.metric}
    head = f"{metrics.pop()}\n" if len(metrics) == 1 else ""
    top = best(trials)
    table = Table(title_justify="left")
    table.add_column("trial", overflow="ellipsis" if one_line else "fold")
    for side in sides:
        table.add_column(head + side, justify="right", no_wrap=one_line)
    table.add_column("seconds", justify="right", no_wrap=one_line)
    table.add_column("state", no_wrap=one_line)
    for trial in _that_fit(trials, top, rows):
        marked = trial is top
        cells = [_cell(trial, side, marked and side == "public", bool(metrics)) for side in sides]
        style = "bold" if marked else "red" if trial.state == FAILED else ""
        name = Text(trial.name, no_wrap=one_line)
        table.add_row(name, *cells, f"{trial.seconds:.2f}", trial.state, style=style)
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
    """Write trials.json: every trial's name, swept values, means and what they cover, or why it
    failed.

    It holds no time, no id and no trace of what was stored before: a sweep that was killed and
    run again leaves the same bytes.
    """
    rows = [
        {
            "trial": trial.name,
            "swept": trial.values,
            "scores": trial.scores,
            "scored": trial.scored,
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


def _cell(trial: Ending, side: str, marked: bool, named: bool = False) -> str:
    """The mean; with the number of queries that it covers where that is not all of them."""
    score = trial.score(side)
    if score is None:
        return "–"
    said = f"{trial.metric} {score:.4f}" if named else f"{score:.4f}"
    scored, _, asked = trial.covers(side).partition("/")
    said += f" ({scored}/{asked})" if scored != asked else ""
    return f"{said} {BEST}" if marked else said
