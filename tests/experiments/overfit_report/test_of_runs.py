"""A report on runs that stand in MLflow."""

import numpy as np
import pytest

from experiments.overfit.rules import Rules
from experiments.overfit_report.of_runs import gather_runs
from experiments.overfit_report.study import OverfitReport
from experiments.schema import Dataset, Document, Query, RunRecord
from experiments.setting import Setting
from experiments.splits import RandomSplit
from experiments.tracking.mlflow import MLflowTracker
from experiments.tracking.none import NoTracker
from tests.experiments.overfit_report.folders import PRIVATE, PUBLIC, scores, table


class Loaded:
    def load(self):
        queries = [Query(name, f"{name}은?") for name in (*PUBLIC, *PRIVATE)]
        return Dataset("sample", [Document("x", "물")], queries, {}, "d" * 64)


@pytest.fixture(scope="module")
def tracked(tmp_path_factory):
    """A tracker with three scored runs of one name, and one that holds others."""
    folder = tmp_path_factory.mktemp("mlflow")
    tracker = MLflowTracker(f"sqlite:///{folder}/mlflow.db", artifacts=str(folder / "artifacts"))
    runs = []
    for seed in range(4):
        file = folder / "per_query.parquet"
        table(scores(seed=seed)).to_parquet(file)
        record = RunRecord(
            name="bm25",
            experiment="retrieval",
            dataset=Loaded().load(),
            started=1.0,
            ended=2.0,
            files=[file] if seed < 3 else [],
        )
        runs.append(tracker.log(record))
    return tracker, runs


@pytest.mark.slow
def test_runs_are_read_through_the_trackers_address(tracked):
    tracker, runs = tracked
    found = gather_runs(runs[:3], tracker.uri)
    assert found.names == ("bm25 (1)", "bm25 (2)", "bm25 (3)")
    assert found.dataset == "d" * 64
    assert np.allclose(found.private[2], scores(seed=2)[20:])


@pytest.mark.slow
def test_the_experiment_reports_on_runs(tracked, tmp_path, capsys):
    tracker, runs = tracked
    setting = Setting(
        dataset=Loaded(),
        metrics=None,
        split=RandomSplit(),
        tracker=tracker,
        submission=None,
        store=None,
        folder=tmp_path,
    )
    report = OverfitReport(
        title="overfit_report", setting=setting, runs=runs[:3], rules=Rules(draws=200)
    ).run()
    assert (report.folder / "overfit.html").exists()
    assert "against bm25 (1): " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([0, "0" * 32], f'has no run "{"0" * 32}"'),
        ([0, "no id / at all"], 'has no run "no id'),
        ([0, 3], "has no per_query.parquet"),
    ],
)
def test_a_run_that_is_not_there_or_has_no_table_is_one_sentence(tracked, names, message):
    tracker, runs = tracked
    ids = [runs[name] if isinstance(name, int) else name for name in names]
    with pytest.raises(ValueError, match=message):
        gather_runs(ids, tracker.uri)


@pytest.mark.parametrize("runs", [["a"], [], ["a", "a"]])
def test_two_different_runs_are_needed(runs):
    with pytest.raises(ValueError, match="name two or more, each once"):
        gather_runs(runs, "sqlite:///x.db")


def test_without_a_tracker_there_are_no_runs():
    with pytest.raises(ValueError, match="tracker=none has no runs"):
        gather_runs(["a", "b"], getattr(NoTracker(), "uri", None))
