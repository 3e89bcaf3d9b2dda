"""The lab as a run: what it asks, resumes, keeps in its folder, and refuses."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from experiments.position_lab.dataset_tasks import DatasetTasks
from tests.experiments.position_lab.small_lab import gap, lab, summary
from tests.experiments.position_lab.stub_models import flat, key_value_model
from tests.experiments.rag.rig import study
from tests.generation.stub_llm import StubLLM


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(tmp_path, capsys):
    model = key_value_model(flat)
    report = lab(tmp_path, model, count=10, dry_run=True).run()
    said = capsys.readouterr().out.replace("\n", " ")
    assert "50 prompts" in said
    assert "50 calls to make" in said
    assert model.asked == []
    assert report.folder is None


def test_a_killed_lab_makes_only_the_calls_that_are_missing(tmp_path):
    class Killed(BaseException):
        pass

    def dies(way):
        dies.left -= 1
        if dies.left < 0:
            raise Killed
        return flat(way)

    dies.left = 20
    with pytest.raises(Killed):
        lab(tmp_path, key_value_model(dies), count=10).run()
    model = key_value_model(flat)
    lab(tmp_path, model, count=10).run()
    assert len(model.asked) == 50 - 20
    again = key_value_model(flat)
    lab(tmp_path, again, count=10).run()
    assert again.asked == []


def test_a_failed_call_is_counted_and_in_no_mean(tmp_path):
    model = key_value_model(flat, failures=[ValueError("broken prompt")] * 3)
    report = lab(tmp_path, model, count=10).run()
    assert summary(report)["findings"]["missing"] == 3
    assert gap(report)["n"] < 10
    assert pd.read_parquet(report.folder / "answers.parquet")["correct"].isna().sum() == 3


def test_any_text_that_a_model_says_can_be_kept(tmp_path):
    report = lab(tmp_path, StubLLM(lambda _: "lone \ud800 \x00 sign"), count=2).run()
    assert {*pd.read_parquet(report.folder / "answers.parquet")["answer"]} == {"lone ? \x00 sign"}


def test_what_a_repeated_lab_is_held_against_is_kept(tmp_path):
    report = lab(tmp_path, None, count=2).run()
    table = pd.read_parquet(report.folder / "answers.parquet")
    assert table["context_hash"].nunique() == len(table)
    assert summary(report)["fingerprints"].keys() == {"tasks", "prompts"}
    assert {"pipeline.json", "versions.json"} <= {path.name for path in report.folder.iterdir()}


def test_without_a_model_it_says_which_to_choose(tmp_path):
    with pytest.raises(ValueError, match="llm=local"):
        replace(lab(tmp_path, None), llm=None).run()


def test_the_pipelines_own_order_is_what_it_ranks(tmp_path):
    rig = study(tmp_path)
    own = replace(
        lab(tmp_path, None, documents=[2, 3], evidence=[1, "own"], positions=[0, 100]),
        tasks=DatasetTasks(pipeline=rig.pipeline),
    )
    report = own.run()
    ranked = [
        one
        for one in summary(report)["findings"]["conditions"]
        if one["condition"]["spread"] == "own"
    ]
    assert [one["positions"] for one in ranked] == [[None], [None]]
    with pytest.raises(ValueError, match="lab_task=dataset"):
        lab(tmp_path, None, evidence=["own"]).run()
