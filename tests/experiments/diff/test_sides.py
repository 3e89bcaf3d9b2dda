"""What may be a side of a diff, how it is found, and which files are refused."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest

from experiments import gold_path
from experiments.diff.finding import find
from experiments.ledger import Ledger
from experiments.trec_run import read_run
from tests.experiments.diff.sample_diff import study
from tests.experiments.test_comparison import setting


def test_sides_are_found_by_folder_name_and_fingerprint(run):
    mark = json.loads((run / "summary.json").read_text())["fingerprints"]["pipelines"]["letters"]
    answers = [
        pd.read_csv(study(a, b, run).folder / "questions.tsv", sep="\t")["gain"].tolist()
        for a, b in (("bm25", "letters"), (str(run / "bm25"), mark[:12]))
    ]
    assert answers[0] == answers[1]


def test_a_trial_of_a_sweep_is_found_by_its_fingerprint_past_a_damaged_summary(run, tmp_path):
    trial = tmp_path / "sweeps" / "2026" / "0"
    shutil.copytree(run, trial)
    (tmp_path / "day" / "run").mkdir(parents=True)
    (tmp_path / "day" / "run" / "summary.json").write_text("{")
    mark = json.loads((trial / "summary.json").read_text())["fingerprints"]["pipelines"]["bm25"]
    assert find(mark[:8], tmp_path / "latest", tmp_path) == trial / "bm25"


def test_rankings_and_submissions_of_any_system_are_sides(run, letters_diff, tmp_path, capsys):
    sent = tmp_path / "sent.csv"
    ranked = read_run(run / "letters" / "ranking.trec").ranking.by_query()
    asked = [query.id for query in setting(tmp_path).dataset.load().queries]
    rows = [{"eval_id": int(q), "topk": ranked.get(q, [])[:3]} for q in asked]
    sent.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ledger = Ledger(tmp_path / "ledger.db")
    report = study(str(run / "bm25" / "ranking.trec"), str(sent), run, ledger=ledger)
    assert ledger.count(setting(tmp_path).dataset.load().fingerprint) == 2  # their scores are told
    told = capsys.readouterr().out
    made = pd.read_csv(report.folder / "questions.tsv", sep="\t")
    full = pd.read_csv(letters_diff / "questions.tsv", sep="\t")
    assert made["gain"].tolist() == pytest.approx(full["gain"].tolist())
    assert "sent against ranking" in told
    assert "only its ranking is read" in told
    stages = {*pd.read_csv(report.folder / "gold.tsv", sep="\t")["stage_b"]}
    assert stages == {gold_path.KEPT, gold_path.UNTOLD}


def test_a_run_that_notes_no_paths_is_read_off_its_ranking(run, letters_diff, tmp_path, capsys):
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "letters" / "gold.parquet").unlink()
    made = study("bm25", "letters", tmp_path / "run", run.parents[1]).folder
    gold = pd.read_csv(made / "gold.tsv", sep="\t")
    full = pd.read_csv(letters_diff / "gold.tsv", sep="\t")
    assert gold["rank_b"].tolist() == full["rank_b"].tolist()
    lost = full["stage_b"] == gold_path.NOT_RETRIEVED
    assert lost.any()
    assert (gold.loc[lost, "stage_b"] == gold_path.UNTOLD).all()
    assert "only its ranking is read" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (None, "bm25", "two sides"),
        ("nothing", "bm25", "no folder of a run"),
        ("bm25", "RUN", "holds 3 pipelines"),
    ],
)
def test_mistakes_are_named(run, a, b, said):
    with pytest.raises(ValueError, match=said):
        study(a, str(run) if b == "RUN" else b, run)


def test_a_run_of_another_dataset_is_refused(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    page = json.loads((tmp_path / "run" / "summary.json").read_text())
    page["fingerprints"]["dataset"] = "other"
    (tmp_path / "run" / "summary.json").write_text(json.dumps(page))
    with pytest.raises(ValueError, match="not on science_sample"):
        study("bm25", "letters", tmp_path / "run", run.parents[1])


def test_a_file_of_another_set_is_refused(run, tmp_path):
    path = tmp_path / "other.trec"
    path.write_text("q Q0 nowhere 1 1.0 t\n")
    with pytest.raises(ValueError, match="no line that science_sample can use"):
        study("bm25", str(path), run)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bm25/gold.parquet", "gold.parquet is damaged"),
        ("bm25/per_query.parquet", "per_query.parquet is damaged"),
        ("summary.json", "summary.json is damaged"),
        ("bm25/ranking.trec", "line 1"),
    ],
)
def test_a_file_that_is_cut_off_is_named(run, tmp_path, name, said):
    shutil.copytree(run, tmp_path / "run")
    whole = (tmp_path / "run" / name).read_bytes()
    (tmp_path / "run" / name).write_bytes(whole[:20])
    with pytest.raises(ValueError, match=said):
        study("bm25", "letters", tmp_path / "run", run.parents[1])


@pytest.mark.parametrize(
    ("file", "damage", "said"),
    [
        ("gold.parquet", lambda table: table.drop(columns="ranked"), "other columns"),
        ("gold.parquet", lambda table: table.assign(more=1), "other columns"),
        ("gold.parquet", lambda table: table.assign(ranked="a"), "other columns"),
        ("per_query.parquet", lambda table: pd.concat([table, table]), "names a question twice"),
    ],
)
def test_a_damaged_table_is_one_sentence(run, tmp_path, file, damage, said):
    shutil.copytree(run, tmp_path / "run")
    path = tmp_path / "run" / "letters" / file
    damage(pd.read_parquet(path)).to_parquet(path)
    with pytest.raises(ValueError, match=said):
        study("bm25", "letters", tmp_path / "run", run.parents[1])
