"""A search over weights: what it says is what a run of each weighting says, and no more."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from experiments.fusion.simplex import Grid
from experiments.fusion.space import Space
from experiments.fusion_search import FusionSearch
from experiments.judging import judge
from experiments.ledger import Ledger
from experiments.splits import RandomSplit
from experiments.sweeps.trial import SweepHeader, Trial
from postprocessors.long_context_reorder import LongContextReorder
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.fusion import Hybrid
from retrievers.gate import ScoreGate
from tests.experiments.test_comparison import hybrid, pipeline, setting

CONF = Path(__file__).resolve().parents[2] / "conf"
RULES = {"normalise": ["zscore", "rank"], "missing": ["min", "zero"]}


def search(folder, base=None, weights=None, count=3, rules=RULES, candidates=None, **changes):
    return FusionSearch(
        title="search",
        setting=setting(folder, **changes),
        pipeline=base or pipeline(retriever=hybrid(), gate=ScoreGate(draws=19)),
        space=Space(weights=weights or Grid(steps=4), candidates=candidates, **rules),
        folds=count,
    )


def summary(report):
    return json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))


def loaded(shared):
    dataset = shared.dataset.load()
    return dataset, shared.split.divide(dataset)


@pytest.mark.slow
def test_each_point_scores_what_its_pipeline_scores_when_it_is_run(tmp_path):
    study = search(tmp_path, candidates=[100, 120])
    table = pd.read_parquet(study.run().folder / "surface.parquet")
    assert len(table) == 5 * 3 * 2
    dataset, split = loaded(study.setting)
    for _, row in table.iloc[[0, 7, 12, 29]].iterrows():
        weights = {name: row[f"weight.{name}"] for name in ("bm25", "char_tfidf")}
        options = {"normalise": row["normalise"], "missing": row["missing"]}
        fusion = Hybrid(
            {"bm25": BM25Retriever(), "char_tfidf": CharTfidfRetriever()},
            weights=weights,
            candidates=int(row["candidates"]),
            **options,
        )
        result = judge(replace(study.pipeline, retriever=fusion), dataset, split, study.setting)
        for metric in ("map@3", "map_comp@3"):
            assert result.means["public"][metric].mean == pytest.approx(row[metric], abs=1e-12)


def test_the_folder_holds_the_surface_the_choice_and_its_worth(tmp_path, capsys):
    report = search(tmp_path).run()
    page = summary(report)
    found = page["search"]
    assert found["points"] == 15
    assert set(found["best"]["weights"]) == set(found["best"]["interval"]) == {"bm25", "char_tfidf"}
    assert report.primary == found["cross_validated"]["mean"]
    best = page["pipelines"]["best"]
    assert best["scores"]["public"]["map@3"]["mean"] == pytest.approx(found["best"]["mean"])
    assert best["scores"]["private"]["map@3"]["mean"] is not None
    assert Path(best["submission"]).exists()
    assert len(found["folds"]) == 3
    said = capsys.readouterr().out
    assert found["flatness"]["words"] in said
    assert "chosen on these queries, so it is too good" in said
    html = (report.folder / "surface.html").read_text(encoding="utf-8")
    assert not re.search(r"<script[^>]+src=", html)


@pytest.mark.slow
def test_a_sealed_split_leaves_nothing_private(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db")
    study = search(tmp_path, split=RandomSplit(sealed=True), ledger=ledger)
    report = study.run()
    for name, value in summary(report)["pipelines"].items():
        assert value["scores"].keys() == {"public"}
        assert set(pd.read_parquet(report.folder / name / "per_query.parquet")["split"]) == {
            "public"
        }
    assert summary(report)["search"] == summary(search(tmp_path).run())["search"]
    dataset, split = loaded(study.setting)
    assert not len(ledger.scores(dataset.fingerprint, "map@3", split.private, "private"))


@pytest.mark.slow
def test_every_point_is_a_trial_and_running_one_of_them_is_no_new_one(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db")
    report = search(tmp_path, ledger=ledger).run()
    study = search(tmp_path, ledger=ledger)
    dataset, split = loaded(study.setting)
    # The configured weights are 1 and 1, which no point of the grid is.
    assert ledger.count(dataset.fingerprint) == 15 + 1
    weights = summary(report)["search"]["best"]
    fusion = Hybrid(
        {"bm25": BM25Retriever(), "char_tfidf": CharTfidfRetriever()},
        **{name: weights[name] for name in ("weights", "normalise", "missing", "candidates")},
    )
    judge(replace(study.pipeline, retriever=fusion), dataset, split, study.setting)
    assert ledger.count(dataset.fingerprint) == 16
    rows = ledger.scores(dataset.fingerprint, "map@3", split.public)
    assert len(rows) == 16
    table = pd.read_parquet(report.folder / "surface.parquet")["map@3"]
    np.testing.assert_allclose(sorted(np.nanmean(rows, axis=1))[-1], table.max(), rtol=1e-6)


@pytest.mark.slow
def test_the_yaml_pasted_back_gives_the_same_ranking(tmp_path):
    report = search(tmp_path).run()
    conf = tmp_path / "conf"
    shutil.copytree(CONF, conf)
    chosen = (report.folder / "retriever.yaml").read_text(encoding="utf-8")
    page = "defaults:\n  - hybrid_lexical\n  - _self_\n" + chosen
    (conf / "retriever" / "chosen.yaml").write_text(page, encoding="utf-8")
    with initialize_config_dir(str(conf), version_base="1.3"):
        config = compose("config", overrides=["retriever=chosen"])
    fusion = instantiate(config.retriever, _convert_="all")
    study = search(tmp_path)
    dataset, split = loaded(study.setting)
    result = judge(replace(study.pipeline, retriever=fusion), dataset, split, study.setting)
    lines = (report.folder / "best" / "ranking.trec").read_text(encoding="utf-8").split("\n")
    found: dict[str, list[str]] = {query: [] for query in result.ranking.query_ids}
    for line in filter(None, lines):
        query, _, document, *_ = line.split()
        found[query].append(document)
    assert found == result.ranking.by_query()


@pytest.mark.slow
def test_a_nested_fusion_is_searched_over_its_leaves(tmp_path):
    inner = Hybrid({"bm25": BM25Retriever(), "char_tfidf": CharTfidfRetriever()})
    outer = Hybrid({"both": inner, "words": BM25Retriever(k1=0.9)}, weights={"words": 0.3})
    study = search(tmp_path, pipeline(retriever=outer), Grid(steps=2))
    report = study.run()
    best = summary(report)["search"]["best"]["weights"]
    assert best.keys() == {"bm25", "char_tfidf", "words"}
    table = pd.read_parquet(report.folder / "surface.parquet")
    assert len(table) == 6 * 3
    assert "both:" in (report.folder / "retriever.yaml").read_text(encoding="utf-8")
    page = summary(report)["pipelines"]["best"]["scores"]["public"]["map@3"]
    assert page["mean"] == pytest.approx(table["map@3"].max())


def test_what_cannot_be_searched_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="choose retriever=hybrid"):
        search(tmp_path, pipeline()).run()
    with pytest.raises(ValueError, match="leave it out of postprocessor"):
        search(tmp_path, pipeline(retriever=hybrid(), postprocessors={"rerank": object()})).run()
    with pytest.raises(ValueError, match="less than depth=100"):
        search(tmp_path, candidates=[50]).run()
    with pytest.raises(ValueError, match="folds=1"):
        search(tmp_path, count=1).run()
    reorder = {"reorder": LongContextReorder()}
    assert search(tmp_path, pipeline(retriever=hybrid(), postprocessors=reorder)).run().primary


@pytest.mark.parametrize("name", ["normalise", "missing"])
def test_an_empty_list_of_rules_is_refused_before_anything_runs(tmp_path, name):
    with pytest.raises(ValueError, match=rf"space\.{name} is an empty list"):
        search(tmp_path, rules={**RULES, name: []}).run()


def test_latest_leads_to_the_run(tmp_path):
    folder = search(tmp_path).run().folder
    assert (tmp_path / "latest").resolve() == folder.resolve()


@pytest.mark.slow
def test_as_a_trial_it_is_a_child_of_the_sweep_and_says_nothing_itself(tmp_path, capsys):
    logged = []
    tracker = SimpleNamespace(log=lambda record: logged.append(record) or "waiting:abc")
    sweep = SweepHeader(
        experiment="search", swept={"search.steps": "steps"}, total=1, parent="p", group="g"
    )
    trial = Trial(number=0, values={"search.steps": "4"}, folder=tmp_path / "0000", sweep=sweep)
    report = search(tmp_path, trial=trial, tracker=tracker).run()
    (record,) = logged
    assert (record.name, record.group, record.parent) == ("steps=4", "g", "p")
    assert record.params["search.steps"] == "4"
    assert (report.metric, report.higher_is_better) == ("map@3", True)
    assert summary(report)["pipelines"]["best"]["mlflow_run_id"] is None
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_a_run_that_no_tracker_takes_leaves_its_summary(tmp_path):
    def refuse(record):
        raise RuntimeError("away")

    with pytest.raises(RuntimeError, match="away"):
        search(tmp_path, tracker=SimpleNamespace(log=refuse)).run()
    assert len(list(tmp_path.glob("*/*/summary.json"))) == 1
