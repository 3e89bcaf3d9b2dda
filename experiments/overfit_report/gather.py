"""The per-query scores of all trials of a sweep or a run, from the files that it left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.cautions.swept_edges import swept_edges
from experiments.overfit_report.gathered import Gathered, Scored, side_by_side
from experiments.sweeps.trial import FAILED, endings

if TYPE_CHECKING:
    import pandas as pd

_TABLE = "per_query.parquet"


def gather(folder: Path, metric: str | None = None) -> Gathered:
    """All trials of a sweep's folder, or all pipelines of a run's folder, in their order.

    metric: one of their columns; None takes the first.
    Raises ValueError: no such folder, fewer than two scored trials, an unknown metric, or trials
    that were scored on other halves.
    """
    trials, notes = _sweep(folder) if (folder / "sweep.json").exists() else (_run(folder), [])
    if len(trials) < 2:
        scored = ["no scored trial", "one scored trial"][len(trials)]
        raise ValueError(
            f"{folder} has {scored}: name the folder of a sweep or of a comparison with two or "
            "more, such as report.folder=runs/sweeps/latest."
        )
    return side_by_side(trials, metric, notes)


def _sweep(folder: Path) -> tuple[list[Scored], list[str]]:
    """The scored trials, with a note for those that failed."""
    trials, failed = [], 0
    ended = endings(folder)
    for ending in ended:
        failed += ending.state == FAILED
        paths = sorted((folder / f"{ending.number:04}").glob(f"*/{_TABLE}"))
        for path in paths:
            name = ending.name if len(paths) == 1 else f"{ending.name} {path.parent.name}"
            trials.append(_scored(path, name))
    lost = [f"Failed and without scores: {failed} of the trials."] if failed else []
    return trials, [*lost, *(f"Caution: {edge}" for edge in swept_edges(ended))]


def _run(folder: Path) -> list[Scored]:
    """The scored pipelines, in the order of summary.json."""
    summary = folder / "summary.json"
    if not summary.exists():
        raise ValueError(
            f"{folder} holds no sweep and no run: give report.folder=FOLDER, such as "
            "runs/sweeps/latest."
        )
    names = json.loads(summary.read_text(encoding="utf-8"))["pipelines"]
    paths = {name: folder / name / _TABLE for name in names}
    return [_scored(path, name) for name, path in paths.items() if path.exists()]


def _scored(path: Path, name: str) -> Scored:
    run, pipeline = path.parents[1], path.parent.name
    summary = run / "summary.json"
    said = json.loads(summary.read_text(encoding="utf-8")) if summary.exists() else {}
    return Scored(
        name,
        table=_read(path),
        dataset=said.get("fingerprints", {}).get("dataset"),
        folder=path.parent,
        cautions=tuple(said.get("pipelines", {}).get(pipeline, {}).get("cautions", ())),
    )


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_parquet(path)
