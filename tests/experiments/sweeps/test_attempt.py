"""A trial that fails says why and is the worst; it never ends the sweep."""

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from experiments.datasets.jsonl import JsonLines
from experiments.identity import describe, fingerprint
from experiments.ledger import Ledger, LedgerEntry, ScoreRow
from experiments.schema import Mean, Report
from experiments.splits import RandomSplit
from experiments.sweeps import attempt as module
from experiments.sweeps.attempt import WORST, attempt, objective
from experiments.sweeps.trial import SweepHeader, Trial, endings
from tests.experiments.sweeps.processes import ROOT, write_dataset

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


def test_a_failed_trial_counts_once_in_the_ledger_and_under_its_pipeline_where_it_has_one(
    trial, tmp_path
):
    data, path = write_dataset(tmp_path / "data"), tmp_path / "ledger.db"
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        given = ["dataset=jsonl", f"dataset.path={data}", "retriever=bm25", "tracker=none"]
        config = compose("config", [*given, f"ledger.path={path}"])
    dataset, ledger = JsonLines(path=str(data)).load(), Ledger(path)
    for k1 in (-1, -1, 0.9, 0.9):  # the first can never be built
        config.retriever.k1 = k1
        attempt(raises(ValueError("no")), config)
    assert (ledger.count(dataset.fingerprint), ledger.failed(dataset.fingerprint)) == (2, 2)
    public = RandomSplit().divide(dataset).public
    mark = fingerprint(describe(instantiate(config.pipeline, _convert_="all")))
    row = ScoreRow("public", "map@3", public, np.ones(len(public)))
    ledger.record(dataset.fingerprint, [LedgerEntry(mark, public, "retrieval", [row])])
    assert (ledger.count(dataset.fingerprint), ledger.failed(dataset.fingerprint)) == (2, 1)
    attempt(raises(ValueError("something beside the pipeline")), config)
    assert ledger.failed(dataset.fingerprint) == 1  # it goes by what was swept, as the first


def test_a_ledger_that_cannot_be_written_does_not_end_the_sweep(trial, tmp_path):
    data = {"_target_": "experiments.datasets.jsonl.JsonLines", "path": "nowhere"}
    ledger = {"_target_": "experiments.ledger.Ledger", "path": str(tmp_path / "l.db")}
    config = OmegaConf.merge(CONFIG, {"ledger": ledger, "dataset": data})
    assert attempt(raises(ValueError("no")), config) == WORST
    assert "The ledger does not know of it" in (trial.folder / "error.txt").read_text("utf-8")


def test_no_labels_are_worse_than_any_score_and_small_is_better_where_it_should_be():
    assert objective(Report()) == WORST
    assert objective(Report(primary=0.2, higher_is_better=False)) == -0.2
    assert objective(Report(primary=1.0, higher_is_better=False)) >= WORST
    assert objective(Report(primary=0.0)) > WORST
