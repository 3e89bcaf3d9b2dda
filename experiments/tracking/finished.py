"""Runs that stand finished in MLflow: what they left, and what is noted on them later."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.secrets import without_credentials
from experiments.tracking.mlflow import MLflowTracker
from experiments.tracking.outbox import PATIENCE, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from mlflow import MlflowClient
    from mlflow.entities import Run

TABLE = "per_query.parquet"


class UnknownRunError(ValueError):
    """A tracker has no run of this id."""


@dataclass(frozen=True, slots=True, eq=False)
class FinishedRun:
    """A run and its scores: a row a query, its column "split", then a column a metric.

    dataset: the fingerprint of what it ran on, None where it says none.
    """

    id: str
    _: KW_ONLY
    name: str
    dataset: str | None
    table: pd.DataFrame


def read_finished(uri: str, run_id: str) -> FinishedRun:
    """The per-query scores of a run, fetched from the tracker at this address.

    Raises ValueError for an unknown run, one without such a table, and a tracker that is away.
    """
    import pandas as pd

    with asked(uri, run_id) as client:
        run = client.get_run(run_id)
        if TABLE not in {file.path for file in client.list_artifacts(run_id)}:
            raise ValueError(
                f'The run {run_id} ("{run.info.run_name}") has no {TABLE}: name runs that scored '
                "a pipeline, not those that hold others."
            )
        with tempfile.TemporaryDirectory() as folder:
            table = pd.read_parquet(Path(client.download_artifacts(run_id, TABLE, folder)))
    return FinishedRun(run_id, name=str(run.info.run_name), dataset=_fingerprint(run), table=table)


def note_on_run(
    uri: str, run_id: str, numbers: Mapping[str, float], tags: Mapping[str, str]
) -> None:
    """Add numbers and tags to a finished run. Raises ValueError as `read_finished` does."""
    from mlflow.entities import Metric, RunTag

    at = int(time.time() * 1000)
    with asked(uri, run_id) as client:
        client.log_batch(
            run_id,
            metrics=[Metric(name, value, at, 0) for name, value in numbers.items()],
            tags=[RunTag(name, value) for name, value in tags.items()],
        )


@contextmanager
def asked(uri: str, run_id: str) -> Iterator[MlflowClient]:
    """MLflow at this address, asked about a run; what it complains of becomes one sentence.

    Raises UnknownRunError for a run that it does not have, ValueError where it does not answer.
    """
    for name, value in PATIENCE.items():
        os.environ.setdefault(name, value)
    from mlflow.exceptions import MlflowException

    try:
        yield MLflowTracker(uri).client
    except MlflowException as error:
        place = without_credentials(uri)
        if error.error_code in ("RESOURCE_DOES_NOT_EXIST", "INVALID_PARAMETER_VALUE"):
            raise UnknownRunError(
                f'MLflow at {place} has no run "{run_id}": give the id that its page shows, or '
                "another tracker.uri."
            ) from None
        raise ValueError(
            f"MLflow at {place} does not give the run {run_id} ({reason(error)}): start it, or "
            "give another tracker.uri."
        ) from None


def _fingerprint(run: Run) -> str | None:
    inputs = run.inputs.dataset_inputs if run.inputs else []
    return str(json.loads(inputs[0].dataset.source)["fingerprint"]) if inputs else None
