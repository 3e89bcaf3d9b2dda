"""What a finished run leaves in MLflow: readable names, both splits, no missing number."""

import json
import multiprocessing

import pytest

from experiments.schema import Dataset, Document, Mean, Query, RunRecord
from experiments.tracking.mlflow import MLflowTracker
from experiments.tracking.names import metric_values
from experiments.tracking.none import NoTracker
from experiments.tracking.outbox import OutboxTracker

DATASET = Dataset("물 (water)", [Document("d", "물")], [Query("q", "물?")], None, "f" * 64)
SCORES = {
    "public": {"map@3": Mean(0.75, 4, 5), "1-recall@20": Mean(0.25, 4, 5)},
    "private": {"map@3": Mean(0.5, 3, 5), "1-recall@20": Mean(None, 0, 5)},
}


def record(name="bm25", **changes):
    values = {
        "name": name,
        "experiment": "compare",
        "dataset": DATASET,
        "started": 1000.0,
        "ended": 1002.5,
        "params": {"retriever": "BM25", "long": "x" * 7000},
        "scores": SCORES,
        "measures": {"seconds/index": 1.5},
    }
    return RunRecord(**{**values, **changes})


def tracker(folder):
    return MLflowTracker(f"sqlite:///{folder}/mlflow.db", artifacts=str(folder / "artifacts"))


def test_metric_names_are_readable_and_a_mean_of_nothing_is_left_out():
    assert metric_values(SCORES) == {
        "public/map_at_3": 0.75,
        "public/1-recall_at_20": 0.25,
        "public/queries_scored": 4.0,
        "private/map_at_3": 0.5,
        "private/queries_scored": 0.0,
    }


def test_two_metrics_of_one_name_are_refused():
    with pytest.raises(ValueError, match="public/map_at_3"):
        metric_values({"public": {"map@3": Mean(1, 1, 1), "map_at_3": Mean(1, 1, 1)}})


@pytest.mark.slow
def test_a_run_with_its_child_stands_in_the_store(tmp_path):
    from mlflow import MlflowClient

    file = tmp_path / "ranking.trec"
    file.write_text("q Q0 d 1 1 t\n", encoding="utf-8")
    ours = tracker(tmp_path)
    parent = ours.log(record("compare", scores={}, measures={}))
    child = ours.log(record(parent=parent, files=[file]))

    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    run = client.get_run(child)
    assert run.info.run_name == "bm25"
    assert run.info.status == "FINISHED"
    assert run.info.end_time - run.info.start_time == 2500
    assert run.data.metrics["public/map_at_3"] == 0.75
    assert run.data.metrics["private/map_at_3"] == 0.5
    assert run.data.params["retriever"] == "BM25"
    assert "config" in run.data.params["long"] or "pipeline.json" in run.data.params["long"]
    assert run.data.tags["mlflow.parentRunId"] == parent
    assert json.loads(run.data.tags["coverage"])["private"]["1-recall@20"] == "0/5"
    assert run.inputs.dataset_inputs[0].dataset.name == DATASET.name
    assert [item.path for item in client.list_artifacts(child)] == ["ranking.trec"]


def log_several(folder, name):
    parent = tracker(folder).open(record(name, scores={}, measures={}))
    for number in range(5):
        tracker(folder).log(record(f"{name}{number}", parent=parent))
    tracker(folder).close(parent, record(name))


@pytest.mark.slow
def test_two_processes_may_meet_a_new_store_at_once(tmp_path):
    from mlflow import MlflowClient

    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=log_several, args=(tmp_path, name)) for name in ("a", "b")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    (experiment,) = client.search_experiments(filter_string="name != 'Default'")
    runs = client.search_runs([experiment.experiment_id])
    ids = {run.info.run_id: run.info.run_name for run in runs}
    children = {
        run.info.run_name: ids[run.data.tags["mlflow.parentRunId"]]
        for run in runs
        if "mlflow.parentRunId" in run.data.tags
    }
    assert children == {f"{name}{number}": name for name in "ab" for number in range(5)}
    assert len(runs) == 12
    assert {run.info.status for run in runs} == {"FINISHED"}


def test_no_tracker_gives_no_id():
    assert NoTracker().log(record()) is None


@pytest.mark.parametrize(
    "uri", ["", "file:./mlruns", "./mlruns", "foo://x", "sqlite:///", "http://"]
)
def test_an_address_that_no_store_has_is_refused_before_any_work(uri):
    with pytest.raises(ValueError, match=r"tracker\.uri is "):
        MLflowTracker(uri)
    with pytest.raises(ValueError, match=r"tracker\.uri is "):
        OutboxTracker(uri)
    OutboxTracker("postgresql+psycopg2://user@host/name")
