"""Folders of sweeps and runs as the platform leaves them, with scores that the test names."""

import json

import numpy as np
import pandas as pd

from experiments.sweeps.trial import FAILED, RUN, Ending, SweepHeader

PUBLIC = [f"p{n:02}" for n in range(20)]
PRIVATE = [f"s{n:02}" for n in range(20)]


def scores(gain=0.0, seed=0):
    """Forty scores of 0, 1/2 and 1: public ones first."""
    rng = np.random.default_rng(seed)
    return np.clip(np.round(rng.normal(0.5 + gain, 0.4, 40) * 2) / 2, 0, 1)


def table(values, *, sides=("public", "private"), metric="map@3"):
    """A per-query table as a run writes it, in another order than the split's."""
    ids = [*PUBLIC, *PRIVATE]
    frame = pd.DataFrame({"split": ["public"] * 20 + ["private"] * 20, metric: values}, index=ids)
    frame.index.name = "query"
    return frame[frame["split"].isin(sides)].sort_values(metric, kind="stable")


def write_run(folder, tables, dataset="d" * 64):
    """A run's folder: summary.json and a table a pipeline."""
    for name, frame in tables.items():
        (folder / name).mkdir(parents=True)
        if frame is not None:
            frame.to_parquet(folder / name / "per_query.parquet")
    said = {"fingerprints": {"dataset": dataset}, "pipelines": {name: {} for name in tables}}
    (folder / "summary.json").write_text(json.dumps(said))
    return folder


def write_sweep(folder, tables, names=None):
    """A sweep's folder with one trial a table; None is a trial that failed."""
    folder.mkdir(parents=True)
    SweepHeader(experiment="retrieval", swept={"k": "k"}, total=len(tables)).write(folder)
    for number, frame in enumerate(tables):
        trial = folder / f"{number:04}"
        trial.mkdir()
        if frame is not None:
            write_run(trial, {"bm25": frame})
        Ending(
            number=number,
            name=names[number] if names else f"k={number}",
            values={"k": str(number)},
            state=RUN if frame is not None else FAILED,
            seconds=1.0,
        ).write(trial)
    return folder
