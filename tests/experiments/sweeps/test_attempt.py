"""A trial that fails says why and is the worst; it never ends the sweep."""

import pytest
from omegaconf import OmegaConf

from experiments.schema import Mean, Report
from experiments.sweeps import attempt as module
from experiments.sweeps.attempt import WORST, attempt, objective
from experiments.sweeps.trial import SweepHeader, Trial, endings

CONFIG = OmegaConf.create(
    {"fail_fast": False, "tracker": {"_target_": "experiments.tracking.none.NoTracker"}}
)
MEANS = {"bm25": {side: {"map@3": Mean(0.5, 2, 2)} for side in ("public", "private")}}


@pytest.fixture
def trial(tmp_path, monkeypatch):
    sweep = SweepHeader(experiment="retrieval", swept={"retriever.k1": "k1"}, total=1)
    folder = tmp_path / "0003"
    one = Trial(
        number=3, values={"retriever.k1": "0.30000000000000004"}, folder=folder, sweep=sweep
    )
    monkeypatch.setattr(module, "current", lambda: one)
    return one


def raises(error):
    def run():
        raise error

    return run


def test_a_trial_that_ran_leaves_its_scores(trial):
    report = Report(primary=0.5, metric="map@3", means=MEANS, stored=True)
    assert attempt(lambda: report, CONFIG) == 0.5
    (ending,) = endings(trial.folder.parent)
    assert (ending.name, ending.state, ending.number) == ("k1=0.3", "stored", 3)
    assert ending.score("public") == ending.score("private") == 0.5


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("k1 is -1: give 0 or more."), "k1 is -1: give 0 or more."),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (MemoryError(), "MemoryError: "),
    ],
)
def test_a_failure_is_the_worst_value_and_keeps_its_reason_and_its_traceback(trial, error, said):
    assert attempt(raises(error), CONFIG) == WORST
    (ending,) = endings(trial.folder.parent)
    assert (ending.state, ending.reason) == ("failed", said.strip())
    assert "Traceback" in (trial.folder / "error.txt").read_text(encoding="utf-8")


def test_fail_fast_ends_the_process_after_it_is_written_down(trial):
    with pytest.raises(SystemExit):
        attempt(raises(ValueError("no")), OmegaConf.merge(CONFIG, {"fail_fast": True}))
    assert endings(trial.folder.parent)[0].state == "failed"


def test_a_tracker_that_is_away_does_not_end_the_sweep_either(trial):
    broken = {"_target_": "experiments.tracking.mlflow.MLflowTracker", "nonsense": 1}
    config = OmegaConf.merge(CONFIG, {"tracker": broken})
    assert attempt(raises(ValueError("no")), config) == WORST
    assert "tracker" in (trial.folder / "error.txt").read_text(encoding="utf-8")


def test_no_labels_are_worse_than_any_score_and_small_is_better_where_it_should_be():
    assert objective(Report()) == WORST
    assert objective(Report(primary=0.2, higher_is_better=False)) == -0.2
    assert objective(Report(primary=1.0, higher_is_better=False)) >= WORST
    assert objective(Report(primary=0.0)) > WORST
