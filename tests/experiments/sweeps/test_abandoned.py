"""A sweep that was killed leaves its run open; a later one ends it, and only it."""

import json
import signal
import time

import pytest

from experiments.schema import RunRecord
from experiments.sweeps.abandoned import REASON, Life, end_abandoned
from experiments.tracking.none import NoTracker
from experiments.tracking.outbox import OutboxTracker
from tests.experiments.sweeps.processes import finish, mlflow, start, sweeps, words, write_dataset


class Book:
    """A tracker that only remembers what it was asked to end."""

    def __init__(self, address="here", away=False):
        self.address, self.away, self.ended = address, away, []

    def end_killed(self, run, record):
        if not self.away:
            self.ended.append((run, record.failure))
        return not self.away


def record(**changes):
    given = {"name": "a", "experiment": "e", "dataset": None, "started": 1.0, "ended": 2.0}
    return RunRecord(**{**given, "group": "g", **changes})


@pytest.fixture
def killed(tmp_path):
    """The folder of a sweep whose process is gone: its page stands there and nobody holds it."""
    folder = tmp_path / "sweeps" / "1"
    folder.mkdir(parents=True)
    life = Life(folder)
    life.begin()
    life.note("run1", record(), Book())
    life._lock.release()
    return folder


def test_the_run_of_a_killed_sweep_is_ended_once_with_the_reason(killed):
    book = Book()
    assert end_abandoned(killed.parent, book) == 1
    assert book.ended == [("run1", REASON)]
    assert end_abandoned(killed.parent, book) == 0


def test_a_living_sweep_is_left_alone_and_one_that_ended_leaves_nothing(tmp_path):
    folder = tmp_path / "2"
    folder.mkdir()
    life, book = Life(folder), Book()
    life.begin()
    life.note("run2", record(), book)
    assert end_abandoned(tmp_path, book) == 0
    life.end()
    assert list(folder.iterdir()) == []
    assert end_abandoned(tmp_path, book) == 0
    assert book.ended == []


def test_another_tracker_another_machine_and_none_are_left_alone(killed, monkeypatch):
    assert end_abandoned(killed.parent, NoTracker()) == 0
    assert end_abandoned(killed.parent, Book("elsewhere")) == 0
    monkeypatch.setattr("platform.node", lambda: "another")
    assert end_abandoned(killed.parent, Book()) == 0
    monkeypatch.undo()
    assert end_abandoned(killed.parent, Book(away=True)) == 0
    assert end_abandoned(killed.parent, Book()) == 1


@pytest.mark.slow
def test_in_mlflow_a_deleted_an_unknown_and_an_ended_run_stay_as_they_are(tmp_path):
    from mlflow import MlflowClient

    uri = f"sqlite:///{tmp_path}/mlflow.db"
    tracker = OutboxTracker(uri, artifacts=str(tmp_path / "a"), folder=tmp_path / "outbox")
    client = MlflowClient(uri)
    opened, deleted = (tracker.open(record(name=name)) for name in "ab")
    ended = tracker.log(record(name="c"))
    client.delete_run(deleted)
    for run in (opened, deleted, ended, "0" * 32, "waiting:" + "0" * 32):
        assert tracker.end_killed(run, record(failure=REASON))
    found = {run: client.get_run(run) for run in (opened, deleted, ended)}
    assert [found[run].info.status for run in found] == ["FAILED", "RUNNING", "FINISHED"]
    assert found[opened].data.tags["failure"] == REASON


@pytest.mark.slow
def test_the_sweep_that_resumes_ends_the_parent_of_the_killed_one(tmp_path):
    from mlflow import MlflowClient

    data = write_dataset(tmp_path / "data")
    arguments = words(tmp_path, data, "retriever.k1=0.5,0.8,1.1", *mlflow(tmp_path))
    process = start(arguments)
    while not list(tmp_path.glob("sweeps/*/0000/trial.json")):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (left,) = sweeps(tmp_path)[0].glob("parent.json")
    run = json.loads(left.read_text(encoding="utf-8"))["run"]
    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    assert client.get_run(run).info.status == "RUNNING"
    code, _, complaint = finish(arguments)
    assert code == 0, complaint
    assert client.get_run(run).info.status == "FAILED"
    assert client.get_run(run).data.tags["failure"] == REASON
    assert not left.exists()
