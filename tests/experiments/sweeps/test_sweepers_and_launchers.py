"""Whole sweeps in processes of their own: two workers, Optuna, trials that fail."""

import json

import pytest

from tests.experiments.sweeps.processes import endings, finish, mlflow, sweeps, words, write_dataset

pytestmark = pytest.mark.slow


def test_two_workers_leave_what_one_leaves(tmp_path):
    data = write_dataset(tmp_path / "data")
    constants = "retriever.k1=0.5,0.8,1.1"
    alone = finish(words(tmp_path / "one", data, constants))
    both = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    shared = finish(words(tmp_path / "two", data, constants, *mlflow(tmp_path / "two"), *both))
    assert (alone[0], shared[0]) == (0, 0), shared[2]
    one, two = (sweeps(tmp_path / name)[0] / "trials.json" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_optuna_goes_on_after_a_trial_that_fails_and_asks_the_same_again(tmp_path):
    data = write_dataset(tmp_path / "data")
    study = ["hydra/sweeper=tpe", "hydra.sweeper.n_trials=3", "retriever.k1=interval(-2, 1)"]
    code, said, complaint = finish(words(tmp_path, data, *study))
    first = endings(sweeps(tmp_path)[-1])
    assert len(first) == 3, complaint
    failed = [trial for trial in first if trial["state"] == "failed"]
    assert code == (1 if failed else 0)
    assert all("k1" in trial["reason"] and trial["reason"] in said for trial in failed)
    assert 0 < len(failed) < 3
    finish(words(tmp_path, data, *study))
    again = endings(sweeps(tmp_path)[-1])
    assert [trial["values"] for trial in again] == [trial["values"] for trial in first]
    assert {trial["state"] for trial in again} == {"failed", "stored"}


@pytest.mark.ci
def test_a_failed_trial_is_failed_in_mlflow_too_and_the_others_are_there(tmp_path):
    from mlflow import MlflowClient

    data = write_dataset(tmp_path / "data")
    code, said, _ = finish(words(tmp_path, data, "retriever.k1=0.5,-1,1.1", *mlflow(tmp_path)))
    assert code == 1
    assert "failed: k1=-1: " in said
    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    (experiment,) = client.search_experiments(filter_string="name = 'data'")
    runs = {run.info.run_name: run for run in client.search_runs([experiment.experiment_id])}
    assert {name: run.info.status for name, run in runs.items()} == {
        "retrieval over k1": "FAILED",
        "k1=0.5": "FINISHED",
        "k1=-1": "FAILED",
        "k1=1.1": "FINISHED",
    }
    assert any("k1" in value for value in runs["k1=-1"].data.tags.values())
    assert not runs["k1=-1"].data.metrics
    table = json.loads((sweeps(tmp_path)[-1] / "trials.json").read_text(encoding="utf-8"))
    assert len(table) == 3


def test_a_list_of_experiments_is_a_sweep_over_them(tmp_path):
    data = write_dataset(tmp_path / "data")
    given = words(tmp_path, data, "+experiment=retrieval,fusion_search", "retriever=hybrid_lexical")
    given = [word for word in given if not word.startswith("retriever.")]
    code, _, complaint = finish(given)
    assert code == 0, complaint
    both = endings(sweeps(tmp_path)[-1])
    assert [one["name"] for one in both] == ["experiment=retrieval", "experiment=fusion_search"]
    assert all(one["scores"]["public"]["map@3"] is not None for one in both)
