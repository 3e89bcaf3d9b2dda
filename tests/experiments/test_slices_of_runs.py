"""Scores by label in the folder of a run: a comparison, imported runs, a search."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pandas as pd
import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate

from experiments.datasets.science_qa import ScienceQA
from experiments.evaluation import Evaluator
from experiments.fusion.simplex import Grid
from experiments.fusion.space import Space
from experiments.fusion_search import FusionSearch
from experiments.imported_run import ImportedRuns
from experiments.label_slices import gold_labels
from experiments.splits import RandomSplit
from experiments.store import NoStore
from tests.experiments.reviewed_chunks import reviewed
from tests.experiments.test_comparison import SAMPLE, compare, hybrid, pipeline, setting

CONF = Path(__file__).resolve().parents[2] / "conf"


def run(folder, **changes):
    parts = {"submission": None, "metrics": Evaluator(["map@3", "recall@10"]), "store": NoStore()}
    return compare(folder / "runs", **{**parts, **changes})


def sample_review(tmp_path):
    """Every second document wrong, the others good."""
    lines = (SAMPLE / "documents.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    ids = [json.loads(line)["docid"] for line in lines]
    return reviewed(tmp_path, *((name, ("good", "wrong")[i % 2]) for i, name in enumerate(ids)))


def test_a_run_on_the_sample_leaves_the_slices_that_its_own_table_gives(tmp_path, capsys):
    path = sample_review(tmp_path)
    report = run(tmp_path, review=path)
    frame = pd.read_csv(report.folder / "bm25" / "slices.tsv", sep="\t", dtype={"slice": str})
    assert set(frame["by"]) == {"label", "turns"}
    slices = frame.set_index(["slice", "split", "metric"])
    gold = gold_labels(path, ScienceQA(path=SAMPLE).load())
    assert f"{len(gold)} of 150 queries" in capsys.readouterr().out.replace("\n", " ")
    table = pd.read_parquet(report.folder / "bm25" / "per_query.parquet")
    for side in ("public", "private"):
        half = table[table["split"] == side]["recall@10"]
        wrong = half[["wrong" in gold.get(query, ()) for query in half.index]].dropna()
        found = slices.loc["wrong", side, "recall@10"]
        assert found["mean"] == pytest.approx(wrong.mean())
        assert found["n_scored"] == len(wrong) > 10


def test_a_sealed_run_writes_public_slices_alone(tmp_path):
    report = run(tmp_path, review=sample_review(tmp_path), split=RandomSplit(sealed=True))
    frame = pd.read_csv(report.folder / "bm25" / "slices.tsv", sep="\t")
    assert set(frame["split"]) == {"public"}
    assert report.means["bm25"].keys() == {"public"}


def test_a_review_of_other_chunks_is_refused_before_any_work(tmp_path):
    with pytest.raises(ValueError, match="is no chunk here"):
        run(tmp_path, review=reviewed(tmp_path, ("elsewhere", "good")))
    assert not (tmp_path / "runs").exists()


def test_the_option_review_reaches_the_folder_and_the_tracker(tmp_path):
    class Kept:
        files: ClassVar[list[Path]] = []

        def log(self, record):
            self.files.extend(record.files)

    words = ["+experiment=retrieval", "retriever=bm25", "gate=none", "tracker=none", "ledger=null"]
    words += [f"review={sample_review(tmp_path)}", "store=off", f"setting.folder={tmp_path}/runs"]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", overrides=words, return_hydra_config=True)
    HydraConfig.instance().set_config(config)
    experiment = instantiate(config.experiment, _convert_="all")
    kept = Kept()
    report = replace(experiment, setting=replace(experiment.setting, tracker=kept)).run()
    table = report.folder / "bm25" / "slices.tsv"
    assert table in kept.files
    assert "label\twrong\tpublic\tmap@3" in table.read_text(encoding="utf-8")


@pytest.mark.slow
def test_imported_runs_and_a_search_are_sliced_too(tmp_path):
    path = sample_review(tmp_path)
    ranking = run(tmp_path).folder / "bm25" / "ranking.trec"
    shared = setting(tmp_path / "runs", submission=None, store=NoStore(), review=path)
    imported = ImportedRuns(setting=shared, path=str(ranking)).run()
    assert (imported.folder / "ranking" / "slices.tsv").is_file()
    space = Space(weights=Grid(steps=2), normalise=["zscore"], missing=["min"])
    found = FusionSearch(
        title="search", setting=shared, pipeline=pipeline(retriever=hybrid()), space=space
    ).run()
    for name in ("configured", "best"):
        text = (found.folder / name / "slices.tsv").read_text(encoding="utf-8")
        assert "label\twrong" in text
