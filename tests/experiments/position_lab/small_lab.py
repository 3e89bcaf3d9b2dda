"""A lab of few short key-value tasks, and what its folder says."""

from __future__ import annotations

import json

from experiments.position_lab.cells import Axes
from experiments.position_lab.key_value import KeyValueTasks
from experiments.position_lab.study import PositionLab
from generation.context import ContextAssembler
from tests.experiments.rag.rig import stored, study


def lab(folder, model, *, count=60, context=None, dry_run=False, seed=0, **axes):
    values = {"documents": [5], "repeats": 1, **axes}
    return PositionLab(
        setting=study(folder).setting,
        tasks=KeyValueTasks(count=count, strings="short", seed=seed),
        axes=Axes(**values),
        context=context or ContextAssembler(budget=10**6, top_k=1000),
        llm=stored(folder, model),
        dry_run=dry_run,
    )


def summary(report):
    return json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))


def gap(report, row=0):
    return summary(report)["findings"]["conditions"][row]["gap"]
