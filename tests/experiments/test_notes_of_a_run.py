"""What a run says of lists that are empty, or that cannot be as long as a metric reads them."""

import json

import pytest

from experiments.chunkers import WholeDocuments
from experiments.comparison import Comparison
from experiments.datasets.jsonl import JsonLines
from experiments.evaluation import Evaluator
from experiments.pipeline import Pipeline
from experiments.setting import Setting
from experiments.splits import RandomSplit
from experiments.store import NoStore
from experiments.tracking.none import NoTracker
from retrievers.bm25 import BM25Retriever
from retrievers.enrich import TitlePrefix
from retrievers.gate import NoGate
from retrievers.queries import AllUserTurns

TEXTS = {"capital": "서울은 수도이다", "boil": "물은 끓는다", "plants": "식물은 자란다"}
ASKED = {"q1": "서울", "q2": "물", "q3": "식물은"}


@pytest.fixture
def said(tmp_path, capsys):
    """Compares two analyzers on three Korean texts; what was printed, line by line."""

    def run(metrics, labelled=True):
        for name, rows in (("corpus", TEXTS), ("queries", ASKED)):
            lines = [json.dumps({"id": id_, "text": text}) + "\n" for id_, text in rows.items()]
            (tmp_path / f"{name}.jsonl").write_text("".join(lines))
        if labelled:
            labels = zip(ASKED, TEXTS, strict=True)
            (tmp_path / "qrels.tsv").write_text("".join(f"{q}\t{d}\t1\n" for q, d in labels))
        setting = Setting(
            dataset=JsonLines(path=str(tmp_path)),
            metrics=Evaluator(metrics),
            split=RandomSplit(),
            tracker=NoTracker(),
            submission=None,
            store=NoStore(),
            folder=tmp_path / "runs",
        )
        base = Pipeline(
            chunker=WholeDocuments(),
            enrich=TitlePrefix(),
            query=AllUserTurns(),
            retriever=BM25Retriever(),
            gate=NoGate(),
        )
        words = {"retriever": BM25Retriever("unicode")}
        variants = {"morphemes": {}, "words": words}
        Comparison(title="t", setting=setting, base=base, variants=variants).run()
        return capsys.readouterr().out.splitlines()

    return run


@pytest.mark.parametrize("labelled", [True, False])
def test_a_pipeline_whose_lists_are_empty_is_named_with_labels_and_without(said, labelled):
    lines = said(["map@3"], labelled)
    told = "2 of 3 queries have an empty list: nothing was found, or a gate held it back."
    assert [line for line in lines if "empty list" in line] == [f"words: {told}"]


@pytest.mark.parametrize(("metrics", "count"), [(["map@3", "recall@3"], 0), (["precision@10"], 2)])
def test_a_metric_that_reads_more_than_there_is_is_noted(said, metrics, count):
    told = "A metric reads 10 results and there are 3 documents to find: no list is longer."
    assert sum(told in line for line in said(metrics)) == count
