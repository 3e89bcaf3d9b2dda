"""Runs that MLflow could not take wait here: `python -m experiments.tracking.outbox flush`."""

from __future__ import annotations

import argparse
import logging
import os
import re
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from filelock import FileLock

from experiments.secrets import without_credentials
from experiments.tracking.letters import Letter, letters, set_aside, write_letter
from experiments.tracking.mlflow import MLflowTracker, check_address

if TYPE_CHECKING:
    from experiments.schema import RunRecord

T = TypeVar("T")
WAITING = "waiting:"
PATIENCE = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "4",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_ARTIFACT_UPLOAD_DOWNLOAD_TIMEOUT": "30",
}
"""Seconds without an answer, and tries after the first, unless the environment says otherwise."""

_REASONS = {
    r"timed? ?out": "no answer in time",
    r"refused|unreachable|failed to resolve|failed to establish": "no connection",
    r"too many (\d+) error responses|error code:? (\d+)": "an error of its own",
    r"database is locked": "its database is locked",
}

_away: set[str] = set()  # addresses that failed in this process: nobody waits for them twice
_greeted: set[str] = set()  # addresses that were sent what waited for them


class OutboxTracker:
    """An MLflow tracker that loses nothing where the server does not answer.

    uri, artifacts: as `MLflowTracker` has them.
    folder: where runs wait, each as a folder with its numbers as JSON and its files. They are sent
        at the next run, or by `flush`; a run that was sent is never sent again.
    Credentials of an address are not written down: `flush` takes them from `--uri`, or from
    MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.
    """

    def __init__(
        self,
        uri: str = "sqlite:///runs/mlflow.db",
        *,
        artifacts: str = "runs/mlartifacts",
        folder: str | Path = "runs/outbox",
    ) -> None:
        check_address(uri)
        self.uri = uri
        self.artifacts = artifacts
        self.folder = folder

    def log(self, record: RunRecord) -> str:
        """Write one finished run; its MLflow id, or a mark that `logged_id` knows as none."""
        key = secrets.token_hex(16)
        return self._try(Letter(key, record), lambda: self._deliver(Letter(key, record)))

    def open(self, record: RunRecord) -> str:
        """Begin a run, for others to stand under; its MLflow id, or a mark as `log` gives it."""
        letter = Letter(secrets.token_hex(16), record, finished=False)
        return self._try(letter, lambda: self._deliver(letter))

    def close(self, run: str | None, record: RunRecord) -> None:
        """Write all numbers of a run that was opened, and end it."""
        if run is None:
            return
        key = run.removeprefix(WAITING) if run.startswith(WAITING) else ""
        letter = (
            Letter(key, record, uri=self.address)
            if key
            else Letter(secrets.token_hex(16), record, run=run)
        )
        self._try(letter, lambda: self._deliver(letter))

    def end_killed(self, run: str, record: RunRecord) -> bool:
        """End a run whose process was killed, if it is open still; False where to try later.

        run: what `open` gave.  record: listed as the run is.
        """
        if self.address in _away:
            return False
        try:
            waited = run.startswith(WAITING)
            known = self._mlflow.find(run.removeprefix(WAITING), record) if waited else run
            if known is not None and self._mlflow.is_open(known):
                self._mlflow.close(known, record)
        except Exception as error:
            if not is_away(error):
                raise
            return False
        return True

    def flush(self) -> int:
        """Send what waits for this address, oldest first; returns how many runs were sent.

        Raises what MLflow raises where it does not answer; all that was not sent still waits.
        """
        folder, sent = Path(self.folder), 0
        if not letters(folder):
            return 0
        with FileLock(folder / ".lock"):
            for path in letters(folder):
                letter = Letter.read(path)
                if letter.uri == self.address:
                    sent += self._flush_one(letter, path)
        return sent

    @property
    def address(self) -> str:
        """The uri without user, password and, for a server, query."""
        return without_credentials(self.uri)

    @cached_property
    def _mlflow(self) -> MLflowTracker:
        for name, value in PATIENCE.items():
            os.environ.setdefault(name, value)
        logging.getLogger("urllib3").setLevel(logging.ERROR)  # it would tell of every new try
        return MLflowTracker(self.uri, artifacts=self.artifacts)

    def _try(self, letter: Letter, send: Callable[[], str]) -> str:
        if self.address not in _away:
            try:
                self._greet()
                return send()
            except Exception as error:
                if not is_away(error):
                    raise
                _away.add(self.address)
                print(
                    f"MLflow at {self.address} does not take runs ({reason(error)}): they wait in "
                    f"{self.folder} and are sent at the next run, or by "
                    "`python -m experiments.tracking.outbox flush`.",
                    file=sys.stderr,
                )
        write_letter(Path(self.folder), replace(letter, uri=self.address))
        return f"{WAITING}{letter.key}"

    def _flush_one(self, letter: Letter, path: Path) -> bool:
        """Whether it was sent; what MLflow will never take (its run was deleted) is set aside."""
        try:
            self._deliver(letter)
        except Exception as error:
            if is_away(error):
                raise
            set_aside(path)
            print(f"MLflow refuses a run ({reason(error)}): it was moved to {path.parent}/refused.")
            return False
        letter.discard(path)
        return True

    def _greet(self) -> None:
        """Send what waits, once a process."""
        if self.address not in _greeted:
            _greeted.add(self.address)
            if sent := self.flush():
                print(f"Sent {sent} runs that waited in {self.folder}.", file=sys.stderr)

    def _deliver(self, letter: Letter) -> str:
        """Send a run; what an attempt before left half sent is completed, not repeated."""
        record = replace(letter.record, parent=self._parent(letter.record))
        run = letter.run or (self._mlflow.find(letter.key, record) if letter.uri else None)
        if run is None and letter.finished:
            return self._mlflow.log(record, key=letter.key)
        run = run or self._mlflow.open(record, key=letter.key)
        if letter.finished:
            self._mlflow.close(run, record)
        return run

    def _parent(self, record: RunRecord) -> str | None:
        """The MLflow id of the parent, also of one that waited. Raises where it waits still."""
        if record.parent is None or not record.parent.startswith(WAITING):
            return record.parent
        key = record.parent.removeprefix(WAITING)
        found = self._mlflow.find(key, record)
        if found is None and any(path.name.endswith(key) for path in letters(Path(self.folder))):
            raise ConnectionError("the run that holds this one waits as well")
        return found


def logged_id(run: str | None) -> str | None:
    """The MLflow id that a tracker gave; None for a run that waits."""
    return None if run is None or run.startswith(WAITING) else run


def is_away(error: Exception) -> bool:
    """Whether trying later can help: no answer, a server's own error, a database in use."""
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    if isinstance(error, MlflowException):
        return error.error_code not in ("INVALID_PARAMETER_VALUE", "BAD_REQUEST")
    return isinstance(error, OSError | SQLAlchemyError)


def reason(error: Exception) -> str:
    """What went wrong, in a few words without an address, which may hold credentials."""
    text = str(error)
    for pattern, words in _REASONS.items():
        if found := re.search(pattern, text, re.IGNORECASE):
            return words.format(*found.groups())
    first = without_credentials(text).strip().split("\n", 1)[0]
    return first if len(first) <= 160 else f"{first[:157]}..."


def main(arguments: Sequence[str]) -> int:
    """`flush`: send what waits; returns the exit code, 1 where something still waits."""
    parser = argparse.ArgumentParser(prog="python -m experiments.tracking.outbox")
    parser.add_argument("command", choices=["flush"], help="send the runs that wait")
    parser.add_argument("--folder", default="runs/outbox")
    parser.add_argument("--artifacts", default="runs/mlartifacts")
    parser.add_argument("--uri", help="send what waits for this address alone, as its user")
    options = parser.parse_args(arguments)
    folder = Path(options.folder)
    waiting = {Letter.read(path).uri: None for path in letters(folder)}
    uris = [options.uri] if options.uri else list(waiting)
    code = 0
    for uri in uris:
        tracker = OutboxTracker(uri, artifacts=options.artifacts, folder=folder)
        try:
            print(f"Sent {tracker.flush()} runs to {tracker.address}.")
        except Exception as error:
            if not is_away(error):
                raise
            print(f"error: MLflow at {tracker.address} does not take runs ({reason(error)}).")
            code = 1
    if not uris:
        print(f"Nothing waits in {folder}.")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
