"""A board's score is kept with its run and held against what the run could predict."""

import json

import numpy as np
import pytest

from experiments.record_score import RecordScore
from experiments.setting import Setting
from experiments.tracking.none import NoTracker
from tests.experiments.overfit_report.folders import table, write_run


@pytest.fixture
def run(tmp_path):
    values = np.tile([1.0, 1.0, 1.0, 0.5], 10)
    return write_run(tmp_path / "r", {"bm25": table(values), "dense": table(values)})


def recorder(folder, tracker=None, **options):
    setting = Setting(
        dataset=None,
        metrics=None,
        split=None,
        tracker=tracker or NoTracker(),
        submission=None,
        store=None,
    )
    given = {"pipeline": "bm25", "public": 0.9, "queries": 110, **options}
    return RecordScore(title="record_score", setting=setting, folder=str(folder), **given)


def test_a_score_within_the_interval_is_as_predicted(run, capsys):
    recorder(run, private=0.85).run()
    said = capsys.readouterr().out
    assert said.count("as predicted") == 2
    page = json.loads((run / "leaderboard.json").read_text(encoding="utf-8"))
    assert page["bm25"]["public"] == 0.9
    assert page["bm25"]["private"] == 0.85
    assert page["bm25"]["predicted"]["mean"] == 0.875


@pytest.mark.parametrize(("score", "words"), [(1.0, "easier"), (0.5, "leaked")])
def test_a_score_outside_says_what_it_can_mean(run, capsys, score, words):
    recorder(run, public=score).run()
    assert words in capsys.readouterr().out


def test_another_pipelines_note_stays(run):
    recorder(run).run()
    recorder(run, pipeline="dense", public=0.7).run()
    assert set(json.loads((run / "leaderboard.json").read_text())) == {"bm25", "dense"}


def test_a_run_without_labels_still_keeps_the_score(tmp_path, capsys):
    folder = write_run(tmp_path / "r", {"bm25": None})
    recorder(folder, pipeline=None).run()
    assert "no local scores" in capsys.readouterr().out
    assert json.loads((folder / "leaderboard.json").read_text())["bm25"]["predicted"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"public": None}, "no score to note"),
        ({"public": 93.0}, r"record.public is 93.0"),
        ({"public": float("nan")}, r"record.public is nan"),
        ({"queries": None}, "record.queries is None"),
        ({"queries": 0}, "record.queries is 0"),
        ({"pipeline": None}, "bm25 or dense"),
        ({"pipeline": "x"}, "record.pipeline is x"),
        ({"metric": "mrr@3"}, "not scored by mrr@3"),
    ],
)
def test_a_mistake_is_one_sentence_and_notes_nothing(run, options, message):
    with pytest.raises(ValueError, match=message):
        recorder(run, **options).run()
    assert not (run / "leaderboard.json").exists()


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(ValueError, match="give the folder of the run"):
        recorder(tmp_path).run()


@pytest.mark.slow
def test_the_run_in_mlflow_gets_the_scores(run, tmp_path):
    from mlflow import MlflowClient

    from experiments.schema import RunRecord
    from experiments.tracking.mlflow import MLflowTracker

    tracker = MLflowTracker(f"sqlite:///{tmp_path}/m.db", artifacts=str(tmp_path / "a"))
    record = RunRecord(name="bm25", experiment="x", dataset=None, started=1.0, ended=2.0)
    run_id = tracker.log(record)
    summary = json.loads((run / "summary.json").read_text())
    summary["pipelines"]["bm25"]["mlflow_run_id"] = run_id
    (run / "summary.json").write_text(json.dumps(summary))
    recorder(run, tracker).run()
    noted = MlflowClient(tracker.uri).get_run(run_id)
    assert noted.data.metrics == {"leaderboard/public": 0.9}
    assert noted.data.tags["leaderboard.queries"] == "110"
    assert noted.info.end_time == 2000


@pytest.mark.slow
def test_a_run_that_is_gone_from_mlflow_is_noted_in_its_folder(run, tmp_path, capsys):
    from experiments.tracking.mlflow import MLflowTracker

    summary = json.loads((run / "summary.json").read_text())
    summary["pipelines"]["bm25"]["mlflow_run_id"] = "0" * 32
    (run / "summary.json").write_text(json.dumps(summary))
    recorder(run, MLflowTracker(f"sqlite:///{tmp_path}/m.db")).run()
    assert "Not noted in MLflow" in capsys.readouterr().out
    assert (run / "leaderboard.json").exists()
