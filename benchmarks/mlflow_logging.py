"""What one trial's logging to MLflow costs on SQLite, beside the fluent API's usual calls.

    python -m benchmarks.mlflow_logging [--trials 20]

A trial has 30 parameters and 30 numbers and one dataset; files are left out. Peer: `start_run`,
`log_params`, `log_metrics`, `set_tag`, `log_input`, on a database as MLflow makes it. Ours:
`OutboxTracker.log`. Alternating trials; medians.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, time

from experiments.schema import Dataset, Document, Mean, Query, RunRecord
from experiments.tracking.outbox import OutboxTracker

DATASET = Dataset("growth", [Document("d", "text")], [Query("q", "text")], None, "f" * 64)
NUMBERS = {f"measure/{number}": number / 7 for number in range(26)}
PARAMS = {f"parameter_{number}": str(number) for number in range(30)}
SCORES = {side: {"map@3": Mean(0.5, 4, 5)} for side in ("public", "private")}


def ours(folder: Path) -> Callable[[], None]:
    """One trial by our tracker."""
    uri = f"sqlite:///{folder}/ours.db"
    tracker = OutboxTracker(uri, artifacts=str(folder / "ours"), folder=folder / "outbox")

    def log() -> None:
        now = time()
        record = RunRecord(
            name="trial",
            experiment="benchmark",
            dataset=DATASET,
            started=now,
            ended=now,
            params=PARAMS,
            scores=SCORES,
            measures=NUMBERS,
        )
        tracker.log(record)

    return log


def peer(folder: Path) -> Callable[[], None]:
    """The same trial by MLflow's fluent API."""
    import mlflow
    from mlflow.data.code_dataset_source import CodeDatasetSource
    from mlflow.data.meta_dataset import MetaDataset

    mlflow.set_tracking_uri(f"sqlite:///{folder}/peer.db")
    mlflow.set_experiment("benchmark")
    scores = {f"{side}/map_at_3": 0.5 for side in SCORES}
    scores |= {f"{side}/queries_scored": 4.0 for side in SCORES}

    def log() -> None:
        with mlflow.start_run(run_name="trial"):
            mlflow.log_params(PARAMS)
            mlflow.log_metrics({**scores, **NUMBERS})
            mlflow.set_tag("experiment", "benchmark")
            mlflow.log_input(MetaDataset(CodeDatasetSource(tags={}), name="growth"))

    return log


def milliseconds(work: Callable[[], None]) -> float:
    start = perf_counter()
    work()
    return (perf_counter() - start) * 1e3


def main() -> None:
    """Measure and print."""
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--trials", type=int, default=20)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as place:
        sides = {"peer": peer(Path(place)), "ours": ours(Path(place))}
        spent: dict[str, list[float]] = {name: [] for name in sides}
        for work in sides.values():  # tables and experiments are made once
            work()
        for _ in range(options.trials):
            for name, work in sides.items():
                spent[name].append(milliseconds(work))
    theirs, mine = median(spent["peer"]), median(spent["ours"])
    print(
        f"fluent API {theirs:.1f} ms, ours {mine:.1f} ms a trial, {theirs / mine:.1f} times faster"
    )


if __name__ == "__main__":
    main()
