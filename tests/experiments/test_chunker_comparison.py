"""Chunkers on the same questions, with the number and size of their chunks everywhere."""

import json

import pytest
from llama_index.core.schema import TextNode
from rich.console import Console

from experiments import console
from experiments.chunker_comparison import ChunkerComparison, chunk_sizes
from experiments.chunkers import FixedTokens, Sentences, WholeDocuments
from experiments.datasets.span_jsonl import SpanJsonLines
from experiments.evaluation import Evaluator
from experiments.pipeline import Pipeline
from experiments.semantic_chunker import Semantic
from experiments.setting import Setting
from experiments.splits import RandomSplit
from experiments.store import NoStore, Store
from retrievers.bm25 import BM25Retriever
from retrievers.enrich import NoEnrichment, TitlePrefix
from retrievers.gate import NoGate
from retrievers.lsa import LsaEmbedding
from retrievers.queries import AllUserTurns
from retrievers.tokens import tokens_of

FACTS = [
    f"The {name} of the house is {name}-coloured." for name in ("roof", "door", "wall", "gate")
]
TEXT = " ".join(f"{fact} Nothing else is known of it. 그것은 알려지지 않았다." for fact in FACTS)


class Records:
    """A tracker that keeps what it is given."""

    def __init__(self):
        self.kept = []

    def log(self, record):
        self.kept.append(record)


@pytest.fixture
def folder(tmp_path):
    """One text, four questions whose answers are stretches of it."""
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "t", "text": TEXT}) + "\n")
    rows = []
    for number, fact in enumerate(FACTS):
        start = TEXT.index(fact)
        place = {"content": fact, "start_index": start, "end_index": start + len(fact)}
        text = f"What is the {fact.split()[1]}?"
        rows.append({"id": str(number), "text": text, "corpus_id": "t", "references": [place]})
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return tmp_path


def compare(folder, tracker, variants, store):
    return ChunkerComparison(
        title="chunkers",
        setting=Setting(
            dataset=SpanJsonLines(path=str(folder)),
            metrics=Evaluator(["span_recall@1", "span_precision@1", "span_iou@1"]),
            split=RandomSplit(),
            tracker=tracker,
            submission=None,
            store=store,
            folder=folder / "runs",
        ),
        base=Pipeline(
            chunker=WholeDocuments(),
            enrich=NoEnrichment(),
            query=AllUserTurns(),
            retriever=BM25Retriever(),
            gate=NoGate(),
        ),
        variants=variants,
        baseline="none",
    ).run()


VARIANTS = {
    "none": {},
    "sentence": {"chunker": Sentences(chunk_size=16)},
    "fixed": {"chunker": FixedTokens(chunk_size=10, chunk_overlap=0)},
    "semantic": {"chunker": Semantic(LsaEmbedding(), chunk_size=40)},
    "title": {"chunker": Sentences(chunk_size=16), "enrich": TitlePrefix()},
}


def test_sizes_stand_in_the_table_the_summary_and_the_tracker(folder, capsys, monkeypatch):
    monkeypatch.setattr(console, "terminal", lambda: Console(width=200))
    tracker = Records()
    report = compare(folder, tracker, VARIANTS, Store(folder / "store"))
    pipelines = json.loads((report.folder / "summary.json").read_text())["pipelines"]
    assert pipelines["none"]["measures"]["chunks"] == 1
    total = len(tokens_of("o200k_base", TEXT))
    assert pipelines["none"]["measures"]["tokens_per_chunk"] == total
    fixed = pipelines["fixed"]["measures"]
    assert fixed["chunks"] == -(-total // 10)
    assert fixed["tokens_per_chunk"] == pytest.approx(10, abs=1)
    logged = {record.name: record.measures for record in tracker.kept[1:]}
    assert logged["fixed"].items() >= fixed.items()
    table = capsys.readouterr().out
    assert "tokens per chunk" in table
    row = next(line for line in table.split("\n") if line.startswith("│ fixed"))
    assert [cell.strip() for cell in row.split("│")[2:4]] == [str(fixed["chunks"]), "10"]


def test_all_chunkers_are_scored_on_the_same_gold(folder):
    report = compare(folder, Records(), VARIANTS, NoStore())
    frames = report.per_query
    assert all(frame.notna().all(axis=None) for frame in frames.values())
    assert (frames["none"]["span_recall@1"] == 1).all()
    assert (frames["sentence"]["span_recall@1"] == 1).all()
    precision = {name: frame["span_precision@1"].mean() for name, frame in frames.items()}
    assert precision["sentence"] > precision["semantic"] > precision["none"]


def test_a_second_run_reads_the_store_and_measures_the_same(folder):
    store = Store(folder / "store")
    first, again = (compare(folder, Records(), VARIANTS, store) for _ in range(2))
    assert again.stored
    one, two = (
        json.loads((report.folder / "summary.json").read_text())["pipelines"]
        for report in (first, again)
    )
    assert {n: p["measures"] for n, p in one.items()} == {n: p["measures"] for n, p in two.items()}


def test_the_title_is_not_counted_and_no_chunk_has_no_size():
    node = TextNode(text="ice floats", metadata={"title": "a long title of many words"})
    assert chunk_sizes([node]) == {"chunks": 1, "tokens_per_chunk": 2}
    assert chunk_sizes([]) == {"chunks": 0, "tokens_per_chunk": 0}
