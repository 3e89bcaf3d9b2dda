"""Runs in MLflow: a local SQLite file by default, any server by its URI."""

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from experiments.tracking.names import LONGEST, finite, metric_values, renamed, stored_names

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import DatasetInput

    from experiments.schema import Dataset, Mean, RunRecord

KEY = "rankproof.run"
_EVERY_VIEW = 3  # mlflow.entities.ViewType.ALL: also runs that a user deleted
_LONGEST_PARAM = 6000
_SCHEMES = ("sqlite", "postgresql", "mysql", "mssql", "http", "https", "databricks")
_DIGEST_LENGTH = 36


_experiments: dict[tuple[str, str], str] = {}  # (uri, name) -> id, asked once a process


class MLflowTracker:
    """Writes runs to MLflow, the numbers of each in one batch.

    uri: `sqlite:///runs/mlflow.db`, or `http://…` of any tracking server.
    artifacts: where a local store keeps its files; a server decides for itself.
    Metric names are `public/map_at_3` (MLflow refuses `@`, and other signs); the tag `renamed`
    tells names that could not be kept. A mean that covers no query is not logged, nor a number that
    is not finite, which the tag `not finite` tells; `public/queries_scored` says how many queries
    the means of a split cover.
    """

    def __init__(
        self, uri: str = "sqlite:///runs/mlflow.db", *, artifacts: str = "runs/mlartifacts"
    ) -> None:
        check_address(uri)
        self.uri = uri
        self.artifacts = artifacts

    def log(self, record: RunRecord, key: str | None = None) -> str:
        """Write one finished run and return its MLflow id; key: as in `open`."""
        run = self._create(record, {KEY: key, **_tags(record)})
        self._fill(run, record, {})
        return run

    def open(self, record: RunRecord, key: str | None = None) -> str:
        """Begin a run, for others to stand under, and return its MLflow id.

        key: a name by which `find` knows the run again.
        """
        return self._create(record, {KEY: key})

    def _create(self, record: RunRecord, tags: Mapping[str, str | None]) -> str:
        tags = {"mlflow.parentRunId": record.parent, **tags}
        run = self.client.create_run(
            self._experiment_id(_group(record)),
            start_time=int(record.started * 1000),
            run_name=record.name[:LONGEST],
            tags={name: value for name, value in tags.items() if value},
        )
        return str(run.info.run_id)

    def find(self, key: str, record: RunRecord) -> str | None:
        """The id of the run that was opened with this key, where `record` is listed."""
        runs = self.client.search_runs(
            [self._experiment_id(_group(record))], f"tags.`{KEY}` = '{key}'", _EVERY_VIEW, 1
        )
        return str(runs[0].info.run_id) if runs else None

    def is_open(self, run: str) -> bool:
        """Whether a run was begun and not ended; a run that was deleted is not open."""
        from mlflow.exceptions import MlflowException

        try:
            info = self.client.get_run(run).info
        except MlflowException as error:
            if error.error_code != "RESOURCE_DOES_NOT_EXIST":
                raise
            return False
        return bool(info.status == "RUNNING" and info.lifecycle_stage == "active")

    def close(self, run: str | None, record: RunRecord) -> None:
        """Write all numbers of a run that was opened, and end it: FAILED where it failed."""
        if run is not None:
            self._fill(run, record, _tags(record))

    def _fill(self, run: str, record: RunRecord, tags: Mapping[str, str]) -> None:
        from mlflow.entities import Metric, Param, RunTag

        at = int(record.ended * 1000)
        numbers, lost = finite({**metric_values(record.scores), **record.measures})
        metrics, params = stored_names(numbers), stored_names(record.params)
        tags = {**tags, **_told({"renamed": renamed({**metrics, **params}), "not finite": lost})}
        self.client.log_batch(
            run,
            metrics=[Metric(metrics[name], value, at, 0) for name, value in numbers.items()],
            params=[Param(params[name], _short(value)) for name, value in record.params.items()],
            tags=[RunTag(name, value) for name, value in tags.items()],
        )
        if record.dataset is not None:
            self._log_dataset(run, record.dataset)
        for path in record.files:
            self.client.log_artifact(run, str(path))
        self.client.set_terminated(run, "FAILED" if record.failure else "FINISHED", at)

    def _log_dataset(self, run: str, dataset: Dataset) -> None:
        from mlflow.exceptions import MlflowException

        try:
            self.client.log_inputs(run, [_dataset_input(dataset)])
        except MlflowException as error:
            if not re.search("unique|duplicate", str(error), re.IGNORECASE):
                raise
            # Another process has just written the same dataset: now it is found there.
            self.client.log_inputs(run, [_dataset_input(dataset)])

    @cached_property
    def client(self) -> MlflowClient:
        """The first use of a new SQLite file creates its tables: two processes must not race."""
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
        os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
        from mlflow import MlflowClient

        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.WARNING)
        with self._alone() as new:
            if new is not None:
                _write_ahead(new)
            return MlflowClient(tracking_uri=self.uri)

    @contextmanager
    def _alone(self) -> Iterator[Path | None]:
        """No other process begins the database meanwhile; gives its file where it is not there."""
        if not self.uri.startswith("sqlite:///"):
            yield None
            return
        database = Path(self.uri.removeprefix("sqlite:///")).resolve()
        database.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{database}.lock"):
            yield None if database.exists() else database

    def _experiment_id(self, name: str) -> str:
        """The MLflow experiment of that name; made once, whoever asks first."""
        place = (self.uri, name)
        if place not in _experiments:
            client = self.client
            with self._alone():
                _experiments[place] = self._find_or_create(client, name)
        return _experiments[place]

    def _find_or_create(self, client: MlflowClient, name: str) -> str:
        found = client.get_experiment_by_name(name)
        if found is not None:
            return str(found.experiment_id)
        location = None
        if self.uri.startswith("sqlite:///"):
            location = f"{Path(self.artifacts).resolve().as_uri()}/{_folder_name(name)}"
        return str(client.create_experiment(name, artifact_location=location))


def check_address(uri: str) -> None:
    """Raises ValueError: no tracking store has such an address."""
    scheme, _, place = uri.partition("://")
    if scheme.split("+")[0] not in _SCHEMES or not place.strip("/"):
        raise ValueError(
            f"tracker.uri is '{uri}': give http://HOST:PORT of a server, or a file such as "
            f"sqlite:///runs/mlflow.db; tracker=none tracks nothing."
        )


def _write_ahead(database: Path) -> None:
    """Begin a database whose commits wait for the disk once, and whose readers wait for nobody."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("VACUUM")  # writes the mode down


def _group(record: RunRecord) -> str:
    return record.group or (record.dataset.name if record.dataset else record.experiment)


def _tags(record: RunRecord) -> dict[str, str]:
    tags = {"experiment": record.experiment}
    if record.scores:
        tags["coverage"] = json.dumps(_coverage(record.scores))
    if record.failure:
        tags["failure"] = record.failure[:_LONGEST_PARAM]
    return tags


def _coverage(scores: Mapping[str, Mapping[str, Mean]]) -> dict[str, dict[str, str]]:
    return {
        split: {name: f"{mean.n_scored}/{mean.n_total}" for name, mean in means.items()}
        for split, means in scores.items()
    }


def _told(tables: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        name: _short(json.dumps(table, ensure_ascii=False))
        for name, table in tables.items()
        if table
    }


def _dataset_input(dataset: Dataset) -> DatasetInput:
    from mlflow.entities import Dataset as Entity
    from mlflow.entities import DatasetInput

    profile = {"documents": len(dataset.corpus), "queries": len(dataset.queries)}
    source = json.dumps({"fingerprint": dataset.fingerprint})
    digest = dataset.fingerprint[:_DIGEST_LENGTH]
    entity = Entity(dataset.name, digest, "rankproof", source, None, json.dumps(profile))
    return DatasetInput(entity)


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST_PARAM else "too long for MLflow: see pipeline.json"


def _folder_name(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name) or "dataset"
