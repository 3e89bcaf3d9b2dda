"""Small studies of chunk quality on texts that are written here."""

import json

import numpy as np

from chunk_quality.duplicates import Duplicates
from chunk_quality.review_sample import ReviewSample
from chunk_quality.sentence_similarity import SentenceSimilarity
from chunk_quality.token_counts import TokenCounts
from chunk_quality.topic_entropy import TopicEntropy
from experiments.datasets.jsonl import JsonLines
from experiments.evaluation import Evaluator
from experiments.quality.measured import ChunkMeasures
from experiments.quality.study import ChunkQuality
from experiments.store import Store
from retrievers.gate import GateDecision, NoGate
from retrievers.lsa import LsaEmbedding
from tests.experiments.test_comparison import pipeline, setting

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


class Blocks:
    """A gate that lets through what it is told."""

    def __init__(self, *passed):
        self.passed = passed

    def decide(self, plans, retrieved, retriever, measured=None):
        blocked = np.array([plan.id not in self.passed for plan in plans])
        return GateDecision(blocked, ("no",) * len(plans), np.zeros(len(plans)))


def study(folder, texts, labels=(), topics=5, *, gate=None, review=None, **changes):
    tracker = Recorder()
    report = ChunkQuality(
        title="chunk_quality",
        setting=setting(
            folder / "runs",
            dataset=JsonLines(path=write(folder / "data", texts, labels)),
            metrics=Evaluator(["map@3"]),
            tracker=tracker,
            submission=None,
            store=Store(folder / "store"),
            review=review,
        ),
        pipeline=pipeline(gate=gate or NoGate(), depth=20),
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
