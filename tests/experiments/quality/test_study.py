"""The study of chunks on odd corpora and on good ones: a value or a counted skip, never a crash."""

import json
import math
import re

import pandas as pd
import pytest

from chunk_quality.duplicates import Duplicates
from chunk_quality.review_sample import ReviewSample
from chunk_quality.sentence_similarity import SentenceSimilarity
from chunk_quality.token_counts import TokenCounts
from chunk_quality.topic_entropy import TopicEntropy
from experiments.chunkers import WholeDocuments
from experiments.datasets.jsonl import JsonLines
from experiments.evaluation import Evaluator
from experiments.pipeline import Pipeline
from experiments.quality.measured import ChunkMeasures
from experiments.quality.study import ChunkQuality
from experiments.setting import Setting
from experiments.splits import RandomSplit
from experiments.store import Store
from retrievers.bm25 import BM25Retriever
from retrievers.enrich import TitlePrefix
from retrievers.gate import NoGate
from retrievers.lsa import LsaEmbedding
from retrievers.queries import AllUserTurns

ODD = {
    "empty": " ",
    "one": "물은 끓는다.",
    "marks": "... !!! ???",
    "numbers": "1 2 3. 4 5 6.",
    "unbroken": "가" * 2_000,
    "mixed": "물은 H2O이다. Water boils at 100 °C! 水は沸騰する。",
    "nfd": "\u1106\u116e\u11af은 끓는다. \u1106\u116e\u11af은 언다.",
    "emoji": "🙂 🙂🙂. 👩‍🔬 is here.",
    "lone": "a \ud800 b. c d.",
    "script": "<script>alert(1)</script> 안녕. <b>x</b>",
}
GOOD = {
    f"{topic}{n}": f"{topic} is {word}. {topic} was {word} {n}. All {topic} are {word}."
    for topic, word in (("rivers", "wet"), ("stars", "hot"), ("birds", "light"))
    for n in range(12)
}


class Recorder:
    """A tracker that keeps what it is given."""

    def __init__(self):
        self.records = []

    def log(self, record):
        self.records.append(record)
        return "1"


def write(folder, texts, labels=()):
    folder.mkdir()
    rows = [{"id": name, "text": text} for name, text in texts.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = [{"id": f"q{n}", "text": text} for n, (text, _) in enumerate(labels)] or [
        {"id": "q0", "text": "물"}
    ]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    if labels:
        qrels = "".join(f"q{n}\t{gold}\t1\n" for n, (_, gold) in enumerate(labels))
        (folder / "qrels.tsv").write_text(qrels)
    return folder


def study(folder, texts, labels=(), topics=5, **changes):
    tracker = Recorder()
    report = ChunkQuality(
        title="chunk_quality",
        setting=Setting(
            dataset=JsonLines(path=write(folder / "data", texts, labels)),
            metrics=Evaluator(["map@3"]),
            split=RandomSplit(),
            tracker=tracker,
            submission=None,
            store=Store(folder / "store"),
            folder=folder / "runs",
        ),
        pipeline=Pipeline(
            chunker=WholeDocuments(),
            enrich=TitlePrefix(),
            query=AllUserTurns(),
            retriever=BM25Retriever(),
            gate=NoGate(),
        ),
        measures=ChunkMeasures(
            tokens=TokenCounts(limit=20),
            similarity=SentenceSimilarity(LsaEmbedding(dimensions=8)),
            topics=TopicEntropy(topics=topics, passes=2),
            duplicates=Duplicates(),
        ),
        review=ReviewSample(size=5),
        **changes,
    ).run()
    (record,) = tracker.records
    return report.folder, record


def test_every_odd_chunk_has_a_value_or_is_counted_and_nothing_is_nan_in_the_tracker(tmp_path):
    folder, record = study(tmp_path, ODD)
    table = pd.read_parquet(folder / "chunks.parquet").set_index("chunk")
    assert len(table) == len(ODD) - 1  # the blank document gives no chunk
    assert all(math.isfinite(value) for value in record.measures.values())
    missing = int(table["sentence_similarity"].isna().sum())
    assert record.measures["sentence_similarity/chunks_without"] == missing > 0
    assert math.isnan(table.loc["one", "sentence_similarity"])
    assert math.isnan(table.loc["marks", "topic_entropy"])
    assert "sentence_similarity/auc_against_shuffled" in record.measures


def test_the_page_shows_texts_as_text(tmp_path):
    folder, _ = study(tmp_path, ODD)
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert "물은 끓는다." in page
    assert not re.search(r">\s*nan\s*<", page)


@pytest.mark.parametrize("texts", [{"a": "Only one document. It has two sentences."}, {"a": "x"}])
def test_a_corpus_of_one_document_has_no_control_and_says_so(tmp_path, texts):
    folder, record = study(tmp_path, texts, topics=30)
    assert "topic_entropy/auc_against_shuffled" not in record.measures
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    assert "could not be told" in page
    assert "30 topics were learned from" in page


def test_pure_chunks_are_told_from_shuffled_ones_and_misses_are_looked_at(tmp_path):
    labels = [(f"{topic} {n}", f"{topic}{n}") for topic in ("rivers", "stars") for n in range(12)]
    folder, record = study(tmp_path, GOOD, labels, topics=3, k=1)
    assert record.measures["sentence_similarity/auc_low"] > 0.5
    told = pd.read_csv(folder / "misses.tsv", sep="\t")
    assert set(told["measure"]) >= {"tokens", "sentence_similarity", "topic_entropy"}
    assert (told["missed"] + told["found"] <= len(labels)).all()


def test_a_second_run_computes_nothing_and_says_the_same(tmp_path, monkeypatch):
    first, _ = study(tmp_path, GOOD)
    monkeypatch.setattr(TopicEntropy, "fit", None)
    monkeypatch.setattr(SentenceSimilarity, "embed", None)
    monkeypatch.setattr("experiments.quality.measured.read", None)
    (tmp_path / "data").rename(tmp_path / "old")
    second, _ = study(tmp_path, GOOD)
    one, two = (pd.read_parquet(folder / "chunks.parquet") for folder in (first, second))
    pd.testing.assert_frame_equal(one, two)


def test_no_text_at_all_and_an_impossible_depth_are_refused(tmp_path):
    with pytest.raises(ValueError, match="every document is empty"):
        study(tmp_path, {"a": " ", "b": "\n"})
    (tmp_path / "again").mkdir()
    with pytest.raises(ValueError, match="k is 0"):
        study(tmp_path / "again", GOOD, k=0)
