"""A run says its cautions in the terminal and in summary.json, also when it is read back."""

import json

import pytest

from experiments.chunkers import WholeDocuments
from experiments.comparison import Comparison
from experiments.datasets.jsonl import JsonLines
from experiments.datasets.span_jsonl import SpanJsonLines
from experiments.evaluation import Evaluator
from experiments.pipeline import Pipeline
from experiments.setting import Setting
from experiments.splits import RandomSplit
from experiments.store import Store
from experiments.submissions.trec import TrecSubmission
from experiments.tracking.none import NoTracker
from retrievers.bm25 import BM25Retriever
from retrievers.enrich import TitlePrefix
from retrievers.gate import NoGate
from retrievers.queries import AllUserTurns


@pytest.fixture
def run(tmp_path):
    """Runs BM25 on 36 questions that each copy one document's only word."""
    rows = [{"id": f"d{n}", "text": f"planet{n} is a planet"} for n in range(36)]
    asked = [{"id": f"q{n}", "text": f"planet{n}"} for n in range(36)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    (tmp_path / "qrels.tsv").write_text("".join(f"q{n}\td{n}\t1\n" for n in range(36)))

    def go(dataset=None, metric="map@3", target=None, **changes):
        setting = Setting(
            dataset=dataset or JsonLines(path=str(tmp_path), target=target),
            metrics=Evaluator([metric]),
            split=RandomSplit(**changes),
            tracker=NoTracker(),
            submission=TrecSubmission(),
            store=Store(tmp_path / "store"),
            folder=tmp_path / "runs",
        )
        pipeline = Pipeline(
            chunker=WholeDocuments(),
            enrich=TitlePrefix(),
            query=AllUserTurns(),
            retriever=BM25Retriever(analyzer="unicode"),
            gate=NoGate(),
        )
        report = Comparison(
            title="test", setting=setting, base=pipeline, variants={"bm25": {}}
        ).run()
        page = json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))
        return page["pipelines"]["bm25"]

    return go


def test_circular_labels_are_said_each_time(run, capsys):
    for _ in range(2):  # the second one is read from the store
        (caution,) = run()["cautions"]
        assert "each of 36 labelled questions" in caution
        assert f"Caution: bm25: {caution}" in capsys.readouterr().out


def test_questions_far_easier_than_those_they_stand_for_are_said_each_time(run, tmp_path, capsys):
    (tmp_path / "board").mkdir()
    asked = [{"id": f"t{n}", "text": f"how far away is planet{n}, please"} for n in range(36)]
    text = "".join(json.dumps(row) + "\n" for row in asked)
    (tmp_path / "board" / "queries.jsonl").write_text(text)
    assert len(run()["cautions"]) == 1
    for target in (str(tmp_path / "board"), str(tmp_path / "board")):
        easier = run(target=target)["cautions"][-1]
        assert "share 100 % of their words with their passages, those of board 33 %" in easier
        assert f"Caution: bm25: {easier}" in capsys.readouterr().out
    sealed = run(target=target, sealed=True)["cautions"]
    assert "those of board 33 %" in sealed[0]
    with pytest.raises(ValueError, match=r"dataset\.target"):
        run(target="nowhere")


def test_sealed_labels_are_not_looked_at(run):
    assert "cautions" not in run(sealed=True)  # the 18 public ones are too few


def test_a_submission_says_what_a_board_should_show(run, capsys):
    predicted = run()["predicted"]
    assert predicted["mean"] == predicted["low"] == predicted["high"] == 1.0
    assert (predicted["n_local"], predicted["n_board"]) == (36, 18)
    assert "A board of 18 questions like the 36 scored here" in capsys.readouterr().out


def test_a_sealed_prediction_knows_the_public_half_alone(run):
    assert run(sealed=True)["predicted"]["n_local"] == 18


def test_finding_one_of_two_long_documents_is_no_sign(run, tmp_path):
    """Spans are labelled: the right document is easy, what counts is the place in it."""
    folder = tmp_path / "spans"
    folder.mkdir()
    texts = {name: " ".join(f"{name}{n} is here." for n in range(18)) for name in ("moon", "sun")}
    rows = [{"id": name, "text": text} for name, text in texts.items()]
    asked = []
    for name, text in texts.items():
        for n in range(18):
            start = text.index(f"{name}{n} is")
            place = {
                "content": text[start : start + 6],
                "start_index": start,
                "end_index": start + 6,
            }
            asked.append(
                {"id": f"{name}{n}", "text": f"{name}{n}", "corpus_id": name, "references": [place]}
            )
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    told = run(SpanJsonLines(path=str(folder)), "span_recall@1")
    assert told["predicted"]["mean"] == 1
    assert "cautions" not in told
