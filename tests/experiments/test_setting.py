"""A run finds its place: by itself, or under the sweep that it is a trial of."""

from dataclasses import replace

import pytest

from experiments.schema import RunRecord
from experiments.setting import Setting
from experiments.sweeps.trial import SweepHeader, Trial

RECORD = RunRecord(
    name="bm25", experiment="retrieval", dataset=None, started=0.0, ended=1.0, params={"a": "1"}
)


class Recorder:
    """A tracker that keeps what it is given."""

    def __init__(self):
        self.records = []

    def log(self, record):
        self.records.append(record)
        return "id"


def setting(folder, trial=None):
    parts = dict.fromkeys(("dataset", "metrics", "split", "submission", "store"))
    return Setting(**parts, tracker=Recorder(), folder=folder, trial=trial)


@pytest.fixture
def trial(tmp_path):
    header = SweepHeader(
        experiment="retrieval", swept={"retriever.k1": "k1"}, total=1, parent="sweep", group="set"
    )
    folder = tmp_path / "sweeps" / "now" / "0000"
    return Trial(number=0, values={"retriever.k1": "0.9"}, folder=folder, sweep=header)


def tracked(setting, record):
    assert setting.track(record) == "id"
    return setting.tracker.records[-1]


def test_a_run_of_its_own_is_tracked_as_it_is(tmp_path):
    assert tracked(setting(tmp_path), RECORD) == RECORD


def test_a_trial_stands_under_its_sweep_named_by_what_was_swept(tmp_path, trial):
    found = tracked(setting(tmp_path, trial), RECORD)
    assert (found.name, found.parent, found.group) == ("k1=0.9", "sweep", "set")
    assert found.params == {"a": "1", "retriever.k1": "0.9"}


def test_a_pipeline_of_a_trial_keeps_its_name_and_its_parent(tmp_path, trial):
    found = tracked(setting(tmp_path, trial), replace(RECORD, parent="comparison"))
    assert (found.name, found.parent, found.group) == ("bm25", "comparison", "set")
    assert found.params["retriever.k1"] == "0.9"


def test_latest_leads_to_a_run_and_never_to_a_trial(tmp_path, trial):
    one = setting(tmp_path)
    one.point_latest(one.open_folder("test"))
    assert (tmp_path / "latest").resolve().name.endswith("-test")
    inside = setting(tmp_path, trial)
    inside.point_latest(inside.open_folder("test"))
    assert not (tmp_path / "sweeps" / "latest").exists()
