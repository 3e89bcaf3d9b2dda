"""Two runs of the sample, compared from their files alone."""

import json
import shutil
import time

import numpy as np
import pandas as pd
import pytest

from experiments import gold_path
from experiments.datasets.science_qa import ScienceQA
from experiments.diff.finding import find
from experiments.diff.moves import LOST, SAME, WON
from experiments.diff.prompts import with_prompts
from experiments.diff.study import DiffStudy
from experiments.gold_path import GoldPaths
from experiments.schema import Dataset, Document, Query
from experiments.store import NoStore
from experiments.tracking.none import NoTracker
from experiments.trec_run import read_run
from generation.context import ContextAssembler
from generation.evidence import Evidence
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.gate import ScoreGate
from tests.experiments.test_comparison import SAMPLE, compare, setting


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    variants = {
        "bm25": {},
        "letters": {"retriever": CharTfidfRetriever()},
        "gated": {"gate": ScoreGate(draws=19, alpha=0.01)},
    }
    return folder, compare(folder, variants=variants, baseline="bm25", store=NoStore()).folder


def study(folder, a, b, run, **changes):
    changed = setting(folder, submission=None, **changes)
    return DiffStudy(setting=changed, a=a, b=b, folder=str(run)).run()


def test_won_lost_and_unchanged_agree_with_the_scores(run, capsys):
    folder, run = run
    made = study(folder, "bm25", "letters", run).folder
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


def test_ten_questions_to_read_first_with_the_largest_changes(run):
    folder, run = run
    made = study(folder, "bm25", "letters", run).folder
    page = (made / "diff.html").read_text(encoding="utf-8")
    table = pd.read_csv(made / "questions.tsv", sep="\t", dtype={"query": str})
    worst = table.loc[table["gain"].idxmin(), "text"]
    first = page.split("Worth reading first")[1].split("By kind of question")[0]
    assert first.count("<details") == 10
    assert worst[:20] in first


def test_the_gate_is_named_for_what_it_blocked(run):
    folder, run = run
    made = study(folder, "bm25", "gated", run).folder
    gold = pd.read_csv(made / "gold.tsv", sep="\t")
    blocked = (run / "gated" / "gate.tsv").read_text(encoding="utf-8").count("\tyes\t")
    named = gold[gold["stage_b"] == gold_path.BLOCKED]
    assert blocked
    assert 0 < named["query"].nunique() <= blocked
    assert (gold["stage_a"] != gold_path.BLOCKED).all()


def test_slices_add_up_to_the_questions(run):
    folder, run = run
    made = study(folder, "bm25", "letters", run).folder
    slices = pd.read_csv(made / "slices.tsv", sep="\t")
    total = len(pd.read_csv(made / "questions.tsv", sep="\t"))
    assert {"turns", "question length"} <= {*slices["by"]}
    assert (slices[slices["by"] == "turns"]["questions"].sum()) == total
    assert (slices[[WON, LOST, SAME]].sum(axis=1) == slices["questions"]).all()


def test_sides_are_found_by_folder_name_and_fingerprint(run):
    folder, run = run
    mark = json.loads((run / "summary.json").read_text())["fingerprints"]["pipelines"]["letters"]
    answers = [
        pd.read_csv(study(folder, a, b, run).folder / "questions.tsv", sep="\t")["gain"].tolist()
        for a, b in (("bm25", "letters"), (str(run / "bm25"), mark[:12]))
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (None, "bm25", "two sides"),
        ("nothing", "bm25", "no folder of a run"),
        ("bm25", "RUN", "holds 3 pipelines"),
    ],
)
def test_mistakes_are_named(run, a, b, said):
    folder, run = run
    with pytest.raises(ValueError, match=said):
        study(folder, a, str(run) if b == "RUN" else b, run)


def test_a_run_of_another_dataset_is_refused(run, tmp_path):
    folder, run = run
    shutil.copytree(run, tmp_path / "run")
    page = json.loads((tmp_path / "run" / "summary.json").read_text())
    page["fingerprints"]["dataset"] = "other"
    (tmp_path / "run" / "summary.json").write_text(json.dumps(page))
    with pytest.raises(ValueError, match="not on science_sample"):
        study(folder, "bm25", "letters", tmp_path / "run")


def test_a_run_that_notes_no_paths_is_read_off_its_ranking(run, tmp_path, capsys):
    folder, run = run
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "letters" / "gold.parquet").unlink()
    made = study(folder, "bm25", "letters", tmp_path / "run").folder
    gold = pd.read_csv(made / "gold.tsv", sep="\t")
    full = pd.read_csv(study(folder, "bm25", "letters", run).folder / "gold.tsv", sep="\t")
    assert gold["rank_b"].tolist() == full["rank_b"].tolist()
    lost = full["stage_b"] == gold_path.NOT_RETRIEVED
    assert (gold.loc[lost, "stage_b"] == gold_path.UNTOLD).all()
    assert "only its ranking is read" in capsys.readouterr().out


def test_rankings_and_submissions_of_any_system_are_sides(run, tmp_path, capsys):
    folder, run = run
    sent = tmp_path / "sent.csv"
    ranked = read_run(run / "letters" / "ranking.trec").ranking.by_query()
    asked = [query.id for query in setting(tmp_path).dataset.load().queries]
    rows = [{"eval_id": int(q), "topk": ranked.get(q, [])[:3]} for q in asked]
    sent.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = study(folder, str(run / "bm25" / "ranking.trec"), str(sent), run)
    told = capsys.readouterr().out
    made = pd.read_csv(report.folder / "questions.tsv", sep="\t")
    full = pd.read_csv(study(folder, "bm25", "letters", run).folder / "questions.tsv", sep="\t")
    assert made["gain"].tolist() == pytest.approx(full["gain"].tolist())
    assert "sent against ranking" in told
    assert "only its ranking is read" in told
    stages = {*pd.read_csv(report.folder / "gold.tsv", sep="\t")["stage_b"]}
    assert stages == {gold_path.KEPT, gold_path.UNTOLD}


def test_a_file_of_another_set_is_refused(run, tmp_path):
    folder, run = run
    path = tmp_path / "other.trec"
    path.write_text("q Q0 nowhere 1 1.0 t\n")
    with pytest.raises(ValueError, match="no line that science_sample can use"):
        study(folder, "bm25", str(path), run)


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
    folder, run = run
    shutil.copytree(run, tmp_path / "run")
    whole = (tmp_path / "run" / name).read_bytes()
    (tmp_path / "run" / name).write_bytes(whole[:20])
    with pytest.raises(ValueError, match=said):
        study(folder, "bm25", "letters", tmp_path / "run")


def test_a_trial_of_a_sweep_is_found_by_its_fingerprint_past_a_damaged_summary(run, tmp_path):
    _, run = run
    trial = tmp_path / "sweeps" / "2026" / "0"
    shutil.copytree(run, trial)
    (tmp_path / "day" / "run").mkdir(parents=True)
    (tmp_path / "day" / "run" / "summary.json").write_text("{")
    mark = json.loads((trial / "summary.json").read_text())["fingerprints"]["pipelines"]["bm25"]
    assert find(mark[:8], tmp_path / "latest", tmp_path) == trial / "bm25"


def test_the_same_run_twice_is_said(run, capsys):
    folder, run = run
    study(folder, "bm25", "bm25", run)
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
    page = study(tmp_path, "bm25", "letters", made, dataset=data).folder / "diff.html"
    assert "were ever judged; the others count as not relevant" in capsys.readouterr().out
    assert "first (never judged)" in page.read_text(encoding="utf-8")


def manifest(selected=(), excluded=()):
    passages = [{"id": f"{d}#0", "document": d, "rank": 0} for d in selected]
    left = [{"id": f"{d}#0", "document": d, "reason": reason} for d, reason in excluded]
    return json.dumps({"task_id": "q", "selected": passages, "excluded": left})


@pytest.mark.parametrize(
    ("line", "answer", "stage"),
    [
        (manifest(["x", "gold"]), "see [2]", gold_path.KEPT),
        (manifest(["x", "gold"]), "see [1]", gold_path.UNUSED),
        (manifest(["x", "gold"]), "no source is named", gold_path.KEPT),
        (manifest(["x"], [("gold", "over the token budget")]), "[1]", gold_path.OVER_BUDGET),
        (manifest(["x"], [("gold", "below top_k")]), "[1]", gold_path.BELOW),
    ],
)
def test_what_the_prompt_and_the_answer_did(tmp_path, line, answer, stage):
    (tmp_path / "manifests.jsonl").write_text(line + "\n")
    (tmp_path / "answers.jsonl").write_text(json.dumps({"query": "q", "answer": answer}) + "\n")
    paths = GoldPaths.of_rows([("q", "gold", 1, 1, 5, 0, 5, 5, -1, -1)])
    assert with_prompts(paths, tmp_path).stages(3) == [stage]


@pytest.mark.parametrize(
    ("budget", "gold", "stage"),
    [
        (1, "d[5:10]", gold_path.OVER_BUDGET),
        (1, "d[50:60]", gold_path.BELOW),
        (99, "d[5:10]", gold_path.KEPT),
    ],
)
def test_a_gold_span_is_known_by_its_place_in_prompts_too(tmp_path, budget, gold, stage):
    found = [Evidence("d#0", "d", "the first forty characters of a document", 0, 0, 40)]
    assembler = ContextAssembler(budget=budget)
    made = assembler.assemble("q", "?", assembler.choose(found)).manifest
    (tmp_path / "manifests.jsonl").write_text(made.to_json() + "\n")
    paths = GoldPaths.of_rows([("q", gold, 1, 1, 5, 0, 5, 5, -1, -1)])
    assert with_prompts(paths, tmp_path).stages(3) == [stage]


def test_a_run_of_answers_is_compared_by_what_its_prompts_show(run, tmp_path):
    folder, run = run
    shutil.copytree(run / "bm25", tmp_path / "answers")
    for name in ("gold.parquet", "ranking.trec"):
        (tmp_path / "answers" / name).unlink()
    gold = pd.read_parquet(run / "bm25" / "gold.parquet").iloc[0]
    page = json.loads(manifest([gold["gold"]])) | {"task_id": gold["query"]}
    (tmp_path / "answers" / "manifests.jsonl").write_text(json.dumps(page) + "\n")
    made = study(folder, "bm25", str(tmp_path / "answers"), run).folder
    table = pd.read_csv(made / "gold.tsv", sep="\t", dtype=str)
    row = table[(table["query"] == gold["query"]) & (table["gold"] == gold["gold"])].iloc[0]
    assert row["stage_b"] == gold_path.KEPT
    assert row["rank_b"] == "1"


class Loader:
    def __init__(self, dataset):
        self.dataset = dataset

    def load(self):
        return self.dataset


def test_a_thousand_questions_take_under_five_seconds(tmp_path):
    n = 1000
    data = Dataset(
        "large",
        [Document(f"d{i}", f"passage {i} \ud800") for i in range(n)],
        [Query(f"q{i}", f"질문 {i}") for i in range(n)],
        {f"q{i}": {f"d{i}": 1, f"d{(i + 1) % n}": 1} for i in range(n)},
        "f",
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
    report = study(tmp_path / "out", "a", "b", tmp_path, dataset=Loader(data), tracker=NoTracker())
    assert time.process_time() - started < 5
    assert report.folder is not None
