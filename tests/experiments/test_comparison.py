"""From files to a folder of results: what a user finds there, and that it is the same again."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.chunkers import FixedTokens, WholeDocuments
from experiments.comparison import Comparison
from experiments.datasets.science_qa import ScienceQA
from experiments.evaluation import Evaluator
from experiments.pipeline import Pipeline
from experiments.setting import Setting
from experiments.splits import RandomSplit
from experiments.store import NoStore, Store
from experiments.submissions.science_qa import ScienceQASubmission
from experiments.tracking.none import NoTracker
from postprocessors.long_context_reorder import LongContextReorder
from postprocessors.top_k import TopK
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.enrich import TitlePrefix
from retrievers.fusion import Hybrid
from retrievers.gate import NoGate, ScoreGate
from retrievers.queries import AllUserTurns

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "science_sample"


def hybrid():
    return Hybrid({"bm25": BM25Retriever(), "char_tfidf": CharTfidfRetriever()})


def pipeline(**changes):
    parts = {
        "chunker": WholeDocuments(),
        "enrich": TitlePrefix(),
        "query": AllUserTurns(),
        "retriever": BM25Retriever(),
        "gate": NoGate(),
    }
    return Pipeline(**{**parts, **changes})


def setting(folder, **changes):
    parts = {
        "dataset": ScienceQA(path=SAMPLE),
        "metrics": Evaluator(["map@3", "map_comp@3"]),
        "split": RandomSplit(),
        "tracker": NoTracker(),
        "submission": ScienceQASubmission(),
        "store": Store(folder / "store"),
        "folder": folder,
    }
    return Setting(**{**parts, **changes})


def compare(folder, base=None, variants=None, baseline=None, **changes):
    return Comparison(
        title="test",
        setting=setting(folder, **changes),
        base=base or pipeline(),
        variants=variants or {"bm25": {}},
        baseline=baseline,
    ).run()


def summary(report):
    return json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))


def files(report, name):
    return {path.name: path.read_bytes() for path in sorted((report.folder / name).iterdir())}


def test_the_folder_holds_what_the_guide_promises(tmp_path):
    report = compare(
        tmp_path, variants={"bm25": {}, "two": {"retriever": hybrid()}}, baseline="bm25"
    )
    value = summary(report)
    assert value["experiment"] == "test"
    assert value["pipelines"].keys() == {"bm25", "two"}
    two = value["pipelines"]["two"]
    assert two["scores"].keys() == {"all", "public", "private"}
    assert two["scores"]["public"]["map@3"].keys() == {"mean", "n_scored", "n_total"}
    assert two["difference"]["private"]["map@3"].keys() >= {"mean", "low", "high", "p", "wins"}
    assert value["pipelines"]["bm25"]["difference"] == {}
    assert two["seconds"].keys() == {"chunk", "index", "retrieve", "gate", "postprocess"}
    assert (tmp_path / "latest").resolve() == report.folder.resolve()
    names = {"ranking.trec", "per_query.parquet", "gate.tsv", "pipeline.json", "submission.csv"}
    assert files(report, "two").keys() == names | {"slices.tsv", "gold.parquet", "versions.json"}
    assert report.primary == two["scores"]["public"]["map@3"]["mean"]
    table = pd.read_parquet(report.folder / "two" / "per_query.parquet")
    public = table[table["split"] == "public"]["map@3"].mean()
    assert public == pytest.approx(report.primary)


@pytest.mark.parametrize("again", ["stored", "forced", "no store"])
def test_the_same_run_gives_the_same_bytes(tmp_path, again):
    base = pipeline(retriever=hybrid(), gate=ScoreGate(draws=19))
    first = compare(tmp_path, base)
    base = pipeline(retriever=hybrid(), gate=ScoreGate(draws=19))
    changes = {"forced": {"force": True}, "no store": {"store": NoStore()}, "stored": {}}[again]
    second = compare(tmp_path, base, **changes)
    assert first.folder != second.folder
    assert files(first, "bm25") == files(second, "bm25")
    one, two = summary(first), summary(second)
    for value in (one, two):
        for name in ("seconds", "submission", "cost"):
            del value["pipelines"]["bm25"][name]
    assert one == two


def test_the_gate_of_a_fusion_blocks_chat_and_says_why(tmp_path):
    report = compare(tmp_path, pipeline(retriever=hybrid(), gate=ScoreGate()))
    blocked = summary(report)["pipelines"]["bm25"]["blocked"]
    rows = (report.folder / "bm25" / "gate.tsv").read_text(encoding="utf-8").split("\n")[1:-1]
    stopped = [row.split("\t") for row in rows if "\tyes\t" in row]
    assert len(stopped) == blocked > 0
    assert all(reason for _, _, reason in stopped)
    lines = (report.folder / "bm25" / "submission.csv").read_text(encoding="utf-8").split("\n")
    empty = {str(row["eval_id"]) for row in map(json.loads, lines[:-1]) if not row["topk"]}
    assert empty >= {query for query, _, _ in stopped}


def test_a_judge_of_its_own_gives_every_retriever_the_same_verdicts(tmp_path):
    gate = ScoreGate(draws=19, judge=hybrid())
    variants = {"bm25": {}, "letters": {"retriever": CharTfidfRetriever()}}
    report = compare(tmp_path, pipeline(gate=gate), variants, baseline="bm25")
    texts = [(report.folder / name / "gate.tsv").read_text(encoding="utf-8") for name in variants]
    words, letters = ([row.split("\t")[:2] for row in text.split("\n")] for text in texts)
    assert words == letters
    pages = summary(report)["pipelines"]
    assert pages["letters"]["blocked"] == pages["bm25"]["blocked"] > 0
    own = compare(tmp_path, pipeline(retriever=hybrid(), gate=ScoreGate(draws=19)))
    assert summary(own)["pipelines"]["bm25"]["blocked"] == pages["bm25"]["blocked"]


def test_a_p_is_corrected_for_all_pipelines_of_the_table(tmp_path, capsys):
    variants = {
        "words": {},
        "letters": {"retriever": CharTfidfRetriever()},
        "both": {"retriever": hybrid()},
    }
    report = compare(tmp_path, variants=variants, baseline="words")
    pages = summary(report)["pipelines"]
    held = [pages[name]["difference"]["public"]["map@3"] for name in ("letters", "both")]
    low, high = sorted(held, key=lambda one: one["p"])
    assert low["corrected"] == pytest.approx(min(1, 2 * low["p"]))
    assert high["corrected"] == pytest.approx(max(high["p"], low["corrected"]))
    assert "p of 2: corrected for the 2 pipelines of this table (Holm)." in capsys.readouterr().out


def test_a_sealed_split_leaves_no_private_number_anywhere(tmp_path):
    report = compare(
        tmp_path,
        variants={"bm25": {}, "two": {"retriever": hybrid()}},
        baseline="bm25",
        split=RandomSplit(sealed=True),
    )
    for value in summary(report)["pipelines"].values():
        assert value["scores"].keys() == {"public"}
        assert value["difference"].keys() <= {"public"}
    table = pd.read_parquet(report.folder / "two" / "per_query.parquet")
    assert set(table["split"]) == {"public"}
    assert "private" not in report.means["two"]


def test_the_first_line_says_what_there_is(tmp_path, capsys):
    compare(tmp_path)
    first = capsys.readouterr().out.split("\n")[0]
    said = "216 documents, 150 questions (16 with earlier turns), 135 of them with a gold passage."
    assert first.endswith(f": {said}")


def test_without_labels_the_ranking_and_the_submission_are_written(tmp_path, capsys):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("documents.jsonl", "eval.jsonl"):
        (folder / name).write_bytes((SAMPLE / name).read_bytes())
    report = compare(tmp_path, dataset=ScienceQA(path=folder))
    assert report.primary is None
    assert summary(report)["pipelines"]["bm25"]["scores"] == {}
    assert files(report, "bm25").keys() >= {"ranking.trec", "submission.csv"}
    assert "qrels.tsv" in capsys.readouterr().out


def test_prompt_order_changes_neither_scores_nor_submission(tmp_path):
    reorder = {"reorder": LongContextReorder()}
    report = compare(tmp_path, variants={"a": {}, "b": {"postprocessors": reorder}}, baseline="a")
    kept = ("ranking.trec", "submission.csv", "per_query.parquet")
    a, b = files(report, "a"), files(report, "b")
    assert all(a[name].replace(b" a\n", b" b\n") == b[name] for name in kept)


def test_a_prompt_order_that_does_not_stand_last_names_the_right_order(tmp_path):
    parts = {"reorder": LongContextReorder(), "again": TopK()}
    with pytest.raises(ValueError, match=r"postprocessor=\[again,reorder\]"):
        compare(tmp_path, pipeline(postprocessors=parts))


def test_chunks_are_scored_as_their_documents_and_depth_counts_documents(tmp_path):
    base = pipeline(chunker=FixedTokens(chunk_size=20, chunk_overlap=0), depth=50)
    report = compare(tmp_path, base)
    rows = (report.folder / "bm25" / "ranking.trec").read_text(encoding="utf-8").split("\n")
    found = pd.Series([row.split()[0] for row in rows if row]).value_counts()
    assert found.max() == 50
    assert not any("#" in row for row in rows)
    whole = compare(tmp_path, pipeline(depth=50))
    same = (whole.folder / "bm25" / "ranking.trec").read_text(encoding="utf-8").split("\n")
    assert np.isclose(len(rows), len(same), rtol=0.02)


def test_an_unknown_part_or_baseline_is_refused_before_any_work(tmp_path):
    with pytest.raises(ValueError, match="did you mean retriever"):
        compare(tmp_path, variants={"a": {"retreiver": BM25Retriever()}})
    with pytest.raises(ValueError, match="none of the variants"):
        compare(tmp_path, baseline="b")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_renaming_every_document_changes_no_score(tmp_path):
    folder = tmp_path / "renamed"
    folder.mkdir()
    lines = (SAMPLE / "documents.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    rows = [json.loads(line) for line in lines]
    names = {row["docid"]: f"{len(rows) - place:03}" for place, row in enumerate(rows)}
    renamed = [json.dumps({**row, "docid": names[row["docid"]]}) for row in rows]
    (folder / "documents.jsonl").write_text("\n".join(renamed) + "\n", encoding="utf-8")
    (folder / "eval.jsonl").write_bytes((SAMPLE / "eval.jsonl").read_bytes())
    labels = (SAMPLE / "qrels.tsv").read_text(encoding="utf-8")
    for old, new in names.items():
        labels = labels.replace(old, new)
    (folder / "qrels.tsv").write_text(labels, encoding="utf-8")
    base = pipeline(retriever=hybrid())
    before, after = compare(tmp_path, base), compare(tmp_path, base, dataset=ScienceQA(path=folder))
    assert before.means == after.means
