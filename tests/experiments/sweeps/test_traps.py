"""Commands that Hydra would run otherwise than they read are refused in one sentence."""

import pytest
from omegaconf import OmegaConf

from experiments.sweeps import traps
from experiments.sweeps.traps import check_single, check_sweep
from tests.experiments.test_mistakes import run

PAGES = {
    "plain": "defaults: [retrieval]\n",
    "threads": "defaults:\n  - override /hydra/launcher: joblib\n",
    "sweeping": "hydra:\n  sweeper:\n    params:\n      retriever: bm25,dense\n",
    "on_top": "defaults: [sweeping]\n",
}


@pytest.fixture
def config(tmp_path):
    (tmp_path / "experiment").mkdir()
    for name, page in PAGES.items():
        (tmp_path / "experiment" / f"{name}.yaml").write_text(page)

    ledger = {"_target_": "experiments.ledger_table.LedgerTable", "setting": None}

    def make(*task, sweeper=None, launcher="hydra._internal.core_plugins.x.Y", experiment=ledger):
        name = task[0].removeprefix("+experiment=") if task else None
        return OmegaConf.create(
            {
                "experiment": experiment,
                "hydra": {
                    "overrides": {"task": list(task)},
                    "sweeper": {"_target_": "hydra._internal.core_plugins.x.Y", **(sweeper or {})},
                    "launcher": {"_target_": launcher},
                    "runtime": {
                        "config_sources": [{"path": str(tmp_path), "schema": "file"}],
                        "choices": {"experiment": name},
                    },
                },
            }
        )

    return make


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("plain,sweeping", r"run \+experiment=sweeping by itself"),
        ("on_top,plain", r"run \+experiment=on_top by itself"),
        ("threads,plain", "hydra/launcher=… on the command line"),
    ],
)
def test_a_list_of_experiments_would_lose_their_own_sweeps_and_launchers(config, names, said):
    with pytest.raises(ValueError, match=said):
        check_sweep(config(f"+experiment={names}"))


def test_plain_experiments_may_be_swept_and_one_may_describe_a_sweep(config):
    check_sweep(config("+experiment=plain,other"))
    check_sweep(config("+experiment=sweeping"))
    check_sweep(config("+experiment=threads"))


def test_a_sweep_that_would_look_for_the_worst_is_refused(config):
    with pytest.raises(ValueError, match="direction=maximize"):
        check_sweep(config(sweeper={"direction": "minimize"}))
    check_sweep(config(sweeper={"direction": "maximize"}))


def test_params_in_a_single_run_ask_for_the_m(config):
    with pytest.raises(ValueError, match="add -m"):
        check_single(config(sweeper={"params": {"retriever": "bm25,dense"}}))


def test_a_missing_plugin_is_named_before_the_first_trial(config, monkeypatch):
    monkeypatch.setattr(traps, "_exists", lambda module: False)
    with pytest.raises(ModuleNotFoundError) as raised:
        check_sweep(config(launcher="hydra_plugins.hydra_joblib_launcher.joblib_launcher.J"))
    assert raised.value.name.startswith("hydra_plugins")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["+experiment=retrieval", "retriever=bm25,hybrid"], "add -m"),
        (["experiment=retrieval"], "+experiment=retrieval"),
        (["-m", "+experiment=retrieval,sweep_bm25"], "run +experiment=sweep_bm25 by itself"),
        (["-m", "+experiment=retrieval", "dataset=jsonl", "dataset.path=no/such"], "no/such"),
        (["-m", "+experiment=retrieval", "retriever=bm25,bm26", "tracker=none"], "Did you mean"),
        (
            ["-m", "+experiment=retrieval", "retriever.k1=1,2", "retriever=bm25", "+query.deep=3"],
            "deep",
        ),
    ],
)
def test_on_the_command_line_it_is_one_sentence_and_exit_code_2(words, said, tmp_path):
    done = run(*words, f"hydra.sweep.dir={tmp_path}/sweeps")
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.strip().split("\n")) == 1


def test_an_experiment_that_scores_nothing_is_not_swept(config):
    alone = {"_target_": "experiments.selftest.Selftest"}
    with pytest.raises(ValueError, match=r"\+experiment=selftest runs no pipeline.*leave out -m"):
        check_sweep(config("+experiment=selftest", experiment=alone))
    with pytest.raises(ValueError, match=r"No \+experiment=NAME is given"):
        check_sweep(config(experiment=alone))
