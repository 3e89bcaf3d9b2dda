"""A tracking server that stops answering loses no run, and no run arrives twice."""

import json
import multiprocessing
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from experiments.tracking import outbox
from experiments.tracking.letters import Letter, letters, write_letter
from experiments.tracking.outbox import OutboxTracker, logged_id, main
from tests.experiments.tracking.test_mlflow import DATASET, record

REFUSED = "http://someone:s3cret@127.0.0.1:1/?token=t0ken"


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch):
    """Each test begins as a process does: it has tried no server."""
    monkeypatch.setattr(outbox, "_away", set())
    monkeypatch.setattr(outbox, "_greeted", set())


def tracker(folder, uri=REFUSED):
    return OutboxTracker(uri, artifacts=str(folder / "artifacts"), folder=folder / "outbox")


def runs_in(folder):
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{folder}/mlflow.db")
    experiments = [e.experiment_id for e in client.search_experiments()]
    return client, client.search_runs(experiments)


def redirect(folder, uri):
    """Let what waits be for another address, as if the server had come back there."""
    for path in letters(folder / "outbox"):
        page = json.loads((path / "run.json").read_text(encoding="utf-8"))
        text = json.dumps(page | {"uri": uri})
        (path / "run.json").write_text(text, encoding="utf-8")


def test_a_letter_is_read_as_it_was_written(tmp_path):
    file = tmp_path / "ranking.trec"
    file.write_text("q Q0 d 1 1 t\n", encoding="utf-8")
    letter = Letter("k" * 32, record(files=[file]), uri="http://h")
    path = write_letter(tmp_path / "outbox", letter)
    file.unlink()
    read = Letter.read(path)
    assert read.page() == letter.page()
    assert read.record.scores == letter.record.scores
    assert [f.read_text(encoding="utf-8") for f in read.record.files] == ["q Q0 d 1 1 t\n"]


def test_a_refused_connection_costs_seconds_once_and_is_one_sentence(tmp_path, capsys):
    ours = tracker(tmp_path)
    start = time.perf_counter()
    first = ours.log(record("a"))
    waited = time.perf_counter() - start
    start = time.perf_counter()
    second = tracker(tmp_path).log(record("b"))
    again = time.perf_counter() - start
    assert logged_id(first) is None
    assert logged_id(second) is None
    assert waited < 20  # mlflow's import included
    assert again < 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "outbox flush" in said
    assert len(letters(tmp_path / "outbox")) == 2
    written = "".join(p.read_text(encoding="utf-8") for p in tmp_path.rglob("run.json"))
    assert "s3cret" not in written + said
    assert "t0ken" not in written + said


class Broken(BaseHTTPRequestHandler):
    """A server that answers 500, or takes forever where its address says so."""

    def do_GET(self):
        if self.server.hangs:
            time.sleep(30)
        self.send_response(500)
        self.end_headers()

    def do_POST(self):
        self.do_GET()

    def log_message(self, *_):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("hangs", [False, True])
def test_a_server_that_fails_or_hangs_is_left_after_a_few_seconds(tmp_path, hangs, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Broken)
    server.hangs, server.daemon_threads = hangs, True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    import mlflow  # noqa: F401

    start = time.perf_counter()
    ours = tracker(tmp_path, f"http://127.0.0.1:{server.server_port}")
    assert logged_id(ours.log(record())) is None
    assert time.perf_counter() - start < 15
    server.shutdown()
    assert len(letters(tmp_path / "outbox")) == 1


@pytest.mark.slow
def test_parents_and_children_that_waited_arrive_once(tmp_path):
    ours = tracker(tmp_path)
    parent = ours.open(record("sweep", scores={}, measures={}))
    child = ours.log(record("child", parent=parent))
    ours.close(parent, record("sweep, closed", params={"best": "child"}))
    assert child != parent
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    redirect(tmp_path, uri)

    again = tracker(tmp_path, uri)
    late = again.log(record("late child", parent=parent))  # sends what waits, first
    assert again.flush() == 0
    _, runs = runs_in(tmp_path)
    by_name = {run.info.run_name: run for run in runs}
    assert sorted(by_name) == ["child", "late child", "sweep, closed"]
    top = by_name["sweep, closed"].info.run_id
    assert by_name["child"].data.tags["mlflow.parentRunId"] == top
    assert by_name["late child"].data.tags["mlflow.parentRunId"] == top
    assert by_name["child"].data.metrics["public/map_at_3"] == 0.75
    assert by_name["child"].inputs.dataset_inputs[0].dataset.name == DATASET.name
    assert late == by_name["late child"].info.run_id
    assert {run.info.status for run in runs} == {"FINISHED"}


@pytest.mark.slow
def test_a_run_that_was_half_sent_is_completed(tmp_path, monkeypatch):
    from mlflow import MlflowClient

    def broken(*_, **__):
        raise ConnectionError("gone")

    uri = f"sqlite:///{tmp_path}/mlflow.db"
    with monkeypatch.context() as patch:
        patch.setattr(MlflowClient, "log_inputs", broken)
        assert logged_id(tracker(tmp_path, uri).log(record())) is None
    _, (half,) = runs_in(tmp_path)
    assert half.info.status == "RUNNING"
    outbox._away.clear()
    assert tracker(tmp_path, uri).flush() == 1
    client, (whole,) = runs_in(tmp_path)
    assert whole.info.run_id == half.info.run_id
    assert whole.info.status == "FINISHED"
    assert len(client.get_metric_history(whole.info.run_id, "public/map_at_3")) == 1


def flush(folder):
    tracker(folder, f"sqlite:///{folder}/mlflow.db").flush()


@pytest.mark.slow
def test_two_processes_flush_at_once(tmp_path):
    ours = tracker(tmp_path)
    names = [f"run {number}" for number in range(6)]
    for name in names:
        ours.log(record(name))
    redirect(tmp_path, f"sqlite:///{tmp_path}/mlflow.db")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=flush, args=(tmp_path,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    _, runs = runs_in(tmp_path)
    assert sorted(run.info.run_name for run in runs) == names
    assert letters(tmp_path / "outbox") == []


def test_flush_says_where_the_server_is_still_away(tmp_path, capsys):
    tracker(tmp_path).log(record())
    assert main(["flush", "--folder", str(tmp_path / "outbox")]) == 1
    assert "does not take runs" in capsys.readouterr().out
    assert main(["flush", "--folder", str(tmp_path / "nothing")]) == 0


def start_server(folder, port):
    environment = os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true"}
    command = [sys.executable, "-m", "mlflow", "server", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db"]
    command += ["--artifacts-destination", str(folder / "kept")]
    log = (folder / "server.log").open("w", encoding="utf-8")
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
    )
    for _ in range(240):
        time.sleep(0.5)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                return process
        except OSError:
            continue
    raise AssertionError(Path(log.name).read_text(encoding="utf-8"))


def stop(process):
    os.killpg(process.pid, 15)
    process.wait(30)


@pytest.mark.server
def test_a_server_that_stops_between_runs_gets_them_all_in_the_end(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    file = tmp_path / "ranking.trec"
    file.write_text("q Q0 d 1 1 t\n", encoding="utf-8")
    uri = f"http://127.0.0.1:{port}"
    server = start_server(tmp_path, port)
    ours = tracker(tmp_path, uri)
    parent = ours.open(record("sweep", scores={}, measures={}))
    ids = [ours.log(record(f"trial {n}", parent=parent, files=[file])) for n in range(2)]
    stop(server)
    ids += [ours.log(record(f"trial {n}", parent=parent, files=[file])) for n in range(2, 5)]
    ours.close(parent, record("sweep"))
    assert [logged_id(run) is None for run in ids] == [False, False, True, True, True]
    file.unlink()

    server = start_server(tmp_path, port)
    try:
        outbox._away.clear()
        assert tracker(tmp_path, uri).flush() == 4
        assert tracker(tmp_path, uri).flush() == 0
        _, runs = runs_in(tmp_path)
        children = {r.info.run_name: r for r in runs if "mlflow.parentRunId" in r.data.tags}
        assert sorted(children) == [f"trial {n}" for n in range(5)]
        assert {r.data.tags["mlflow.parentRunId"] for r in children.values()} == {parent}
        assert {r.info.status for r in runs} == {"FINISHED"}
        assert len(runs) == 6
        assert len(list((tmp_path / "kept").rglob("ranking.trec"))) == 5
    finally:
        stop(server)
