"""A sweep that is killed at any moment and started again ends as if nothing had happened."""

import random
import time

import pytest

from tests.experiments.sweeps.processes import (
    endings,
    finish,
    mlflow,
    start,
    sweeps,
    words,
    write_dataset,
)

CONSTANTS = "retriever.k1=0.5,0.8,1.1,1.4,1.7,2.0"
TRIALS = 6


def kill_at_random(arguments, folder, chance):
    """Start a sweep and end it the hard way, after its first sign of life or in the middle."""
    before = len(sweeps(folder))
    process = start(arguments)
    while len(sweeps(folder)) == before and process.poll() is None:
        time.sleep(0.02)
    time.sleep(chance.uniform(0, 3.5))
    process.kill()
    process.communicate()


def stored_trials(folder):
    return len(list((folder / "store" / "trials").glob("*/*/manifest.json")))


def final_files(sweep):
    """Everything that a sweep leaves but times and ids."""
    kept = ("ranking.trec", "per_query.parquet", "gate.tsv", "pipeline.json")
    found = [path for name in kept for path in sorted(sweep.glob(f"*/*/{name}"))]
    table = (sweep / "trials.json").read_bytes()
    return table, {str(path.relative_to(sweep)): path.read_bytes() for path in found}


def kill_and_resume(folder, kills, seed, tracked):
    data = write_dataset(folder / "data")
    chance = random.Random(seed)
    quiet, broken = folder / "quiet", folder / "broken"
    code, _, complaint = finish(words(quiet, data, CONSTANTS))
    assert code == 0, complaint
    arguments = words(broken, data, CONSTANTS, *(mlflow(broken) if tracked else []))
    for _ in range(kills):
        kill_at_random(arguments, broken, chance)
    known = stored_trials(broken)
    code, said, complaint = finish(arguments)
    assert code == 0, complaint
    last = sweeps(broken)[-1]
    assert final_files(last) == final_files(sweeps(quiet)[-1])
    states = [trial["state"] for trial in endings(last)]
    assert states.count("stored") == known
    assert len(states) == TRIALS
    assert f"{known} of them stored before" in said


@pytest.mark.slow
@pytest.mark.ci
def test_a_sweep_killed_twice_ends_the_same(tmp_path):
    kill_and_resume(tmp_path, kills=2, seed=1, tracked=False)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "tracked"), [(2, True), (3, False), (4, True), (5, False)])
def test_twenty_random_kills(tmp_path, seed, tracked):
    kill_and_resume(tmp_path, kills=5, seed=seed, tracked=tracked)


@pytest.mark.slow
def test_another_sweep_reuses_the_trials_and_force_runs_them_again(tmp_path):
    data = write_dataset(tmp_path / "data")
    finish(words(tmp_path, data, "retriever.k1=0.5,0.8"))
    code, _, complaint = finish(words(tmp_path, data, "retriever.k1=0.8,1.1", "retriever.b=0.75"))
    assert code == 0, complaint
    assert [trial["state"] for trial in endings(sweeps(tmp_path)[-1])] == ["stored", "run"]
    finish(words(tmp_path, data, "retriever.k1=0.5,0.8", "force=true"))
    assert [trial["state"] for trial in endings(sweeps(tmp_path)[-1])] == ["run", "run"]


@pytest.mark.slow
def test_two_sweeps_at_once_share_one_store_and_one_tracker(tmp_path):
    from mlflow import MlflowClient

    data = write_dataset(tmp_path / "data")
    arguments = words(tmp_path, data, CONSTANTS, *mlflow(tmp_path))
    both = [start(arguments), start(arguments)]
    said = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    first, second = sweeps(tmp_path)
    assert final_files(first) == final_files(second)
    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    (experiment,) = client.search_experiments(filter_string="name = 'data'")
    runs = client.search_runs([experiment.experiment_id])
    assert {run.info.status for run in runs} == {"FINISHED"}
    parents = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    assert len(parents) == 2
    for parent in parents:
        mine = [r for r in runs if r.data.tags.get("mlflow.parentRunId") == parent.info.run_id]
        assert sorted(run.info.run_name for run in mine) == [
            f"k1={k1}" for k1 in ("0.5", "0.8", "1.1", "1.4", "1.7", "2")
        ]
