"""The per-query scores of any set of MLflow runs."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.overfit_report.gathered import Gathered, Scored, side_by_side


def gather_runs(runs: Sequence[str], uri: str | None, metric: str | None = None) -> Gathered:
    """The runs with these MLflow ids, in this order; uri: of the tracker that has them.

    Raises ValueError: fewer than two runs or one named twice, no tracker, an unknown run or one
    without per-query scores, and runs on other datasets, halves or metrics.
    """
    if len(set(runs)) < max(len(runs), 2):
        raise ValueError(
            f"report.runs names {len(set(runs))} different runs in {len(runs)} ids: name two or "
            "more, each once."
        )
    if uri is None:
        raise ValueError("tracker=none has no runs: leave it out, or give tracker.uri.")
    from experiments.tracking.finished import read_finished

    found = [read_finished(uri, run) for run in runs]
    return side_by_side(
        [Scored(one.name, table=one.table, dataset=one.dataset) for one in found], metric
    )
