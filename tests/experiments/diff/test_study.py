"""What a diff tells of two runs of the sample: outcomes, slices, stages, and how fast."""

from __future__ import annotations

import json
import shutil
import time

import numpy as np
import pandas as pd

from experiments import gold_path
from experiments.datasets.science_qa import ScienceQA
from experiments.diff.moves import LOST, SAME, WON
from experiments.schema import Document, Query
from experiments.tracking.none import NoTracker
from retrievers.char_tfidf import CharTfidfRetriever
from tests.experiments.diff.sample_diff import study
from tests.experiments.rag.rig import Fixed
from tests.experiments.test_comparison import SAMPLE, compare


def test_won_lost_and_unchanged_agree_with_the_scores(run, capsys):
    made = study("bm25", "letters", run).folder
    table = pd.read_csv(made / "questions.tsv", sep="\t", dtype={"query": str}).set_index("query")
    scores = {
        n: pd.read_parquet(run / n / "per_query.parquet")["map@3"] for n in ("bm25", "letters")
    }
    gain = (scores["letters"] - scores["bm25"]).dropna()
    assert (table["outcome"] == WON).sum() == (gain > 1e-9).sum()
    assert (table["outcome"] == LOST).sum() == (gain < -1e-9).sum()
    assert (table["outcome"] == SAME).sum() == (gain.abs() <= 1e-9).sum()
    assert table["text"].str.len().min() > 0
    told = capsys.readouterr().out
    assert f"{(gain > 1e-9).sum()} questions won" in told
    assert "letters against bm25" in told
    assert (run.parent.parent / "latest").resolve() == run.resolve(), "latest stays the run"


def test_ten_questions_to_read_first_with_the_largest_changes(letters_diff):
    page = (letters_diff / "diff.html").read_text(encoding="utf-8")
    table = pd.read_csv(letters_diff / "questions.tsv", sep="\t", dtype={"query": str})
    worst = table.loc[table["gain"].idxmin(), "text"]
    first = page.split("Worth reading first")[1].split("By kind of question")[0]
    assert first.count("<details") == 10
    assert worst[:20] in first


def test_the_gate_is_named_for_what_it_blocked(run):
    made = study("bm25", "gated", run).folder
    gold = pd.read_csv(made / "gold.tsv", sep="\t")
    blocked = (run / "gated" / "gate.tsv").read_text(encoding="utf-8").count("\tyes\t")
    named = gold[gold["stage_b"] == gold_path.BLOCKED]
    assert blocked
    assert 0 < named["query"].nunique() <= blocked
    assert (gold["stage_a"] != gold_path.BLOCKED).all()


def test_slices_add_up_to_the_questions(letters_diff):
    slices = pd.read_csv(letters_diff / "slices.tsv", sep="\t")
    total = len(pd.read_csv(letters_diff / "questions.tsv", sep="\t"))
    assert {"turns", "question length"} <= {*slices["by"]}
    assert slices[slices["by"] == "turns"]["questions"].sum() == total
    assert (slices[[WON, LOST, SAME]].sum(axis=1) == slices["questions"]).all()


def test_the_same_run_twice_is_said(run, capsys):
    study("bm25", "bm25", run)
    told = capsys.readouterr().out
    assert "one and the same" in told
    assert "0 questions won, 0 lost" in told


def test_on_pooled_labels_the_share_that_was_judged_is_told(tmp_path, capsys):
    shutil.copytree(SAMPLE, tmp_path / "pooled")
    rows = (tmp_path / "pooled" / "qrels.tsv").read_text().split("\n")
    (tmp_path / "pooled" / "qrels.tsv").write_text("\n".join(rows[:150]))
    (tmp_path / "pooled" / "provenance.json").write_text(json.dumps({"runs": {"x": "y"}}))
    data = ScienceQA(path=str(tmp_path / "pooled"))
    variants = {"bm25": {}, "letters": {"retriever": CharTfidfRetriever()}}
    made = compare(tmp_path, variants=variants, baseline="bm25", dataset=data).folder
    page = study("bm25", "letters", made, dataset=data).folder / "diff.html"
    assert "were ever judged; the others count as not relevant" in capsys.readouterr().out
    assert "first (never judged)" in page.read_text(encoding="utf-8")


def test_a_thousand_questions_take_under_five_seconds(tmp_path):
    n = 1000
    data = Fixed(
        corpus=[Document(f"d{i}", f"passage {i} \ud800") for i in range(n)],
        queries=[Query(f"q{i}", f"질문 {i}") for i in range(n)],
        qrels={f"q{i}": {f"d{i}": 1, f"d{(i + 1) % n}": 1} for i in range(n)},
    )
    rng = np.random.default_rng(0)
    for name in "ab":
        (tmp_path / name).mkdir()
        values = {"split": "public", "map@3": rng.random(n).round(1)}
        frame = pd.DataFrame(values, index=pd.Index([f"q{i}" for i in range(n)], name="query"))
        frame.to_parquet(tmp_path / name / "per_query.parquet")
        lines = [
            f"q{i} Q0 d{(i + j) % n} {j + 1} {100 - j} t\n" for i in range(n) for j in range(100)
        ]
        (tmp_path / name / "ranking.trec").write_text("".join(lines))
    started = time.process_time()
    report = study("a", "b", tmp_path, tmp_path / "out", dataset=data, tracker=NoTracker())
    assert time.process_time() - started < 5
    assert report.folder is not None
