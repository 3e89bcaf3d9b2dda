"""Losses planted in real runs of retrieval: diff reads their files and names the stage."""

import json

import pandas as pd
import pytest

from experiments import gold_path
from experiments.chunkers import FixedTokens
from experiments.diff.study import DiffStudy
from experiments.evaluation import Evaluator
from experiments.schema import Document, Query, Span
from experiments.splits import RandomSplit
from postprocessors.base import BatchPostprocessor
from postprocessors.top_k import TopK
from tests.experiments.rag.rig import BlockFirst, Fixed, study
from tests.experiments.test_comparison import compare, pipeline, setting

WORDS = "alpha beta gamma delta".split()
TEXTS = {
    word: f"{word} is what this passage tells, {' '.join([word] * 3)} and nothing else of note."
    for word in WORDS
}
TEXTS |= {f"other{n}": f"what does {WORDS[n % 4]} mean here" for n in range(8)}
DATA = Fixed(
    corpus=[Document(name, text) for name, text in TEXTS.items()],
    queries=[Query(word, f"what is {word}", answer=word) for word in WORDS],
    qrels={word: {word: 1} for word in WORDS},
)


class Turned(BatchPostprocessor):
    """The worst result first."""

    def postprocess_many(self, ranking, plans, nodes):
        lists = {query: names[::-1] for query, names in ranking.by_query().items()}
        return type(ranking).from_lists(lists, ranking.node_ids)


def gold(folder, a, b, data=DATA):
    made = setting(folder / "diff", dataset=data, submission=None)
    report = DiffStudy(setting=made, a=str(a), b=str(b)).run()
    table = pd.read_csv(report.folder / "gold.tsv", sep="\t")
    return {side: [*table[f"stage_{side}"]] for side in "ab"}


def retrieval(folder, data=DATA, metrics="map@1", **changes):
    parts = {"metrics": Evaluator(metrics), "submission": None, "dataset": data}
    return compare(folder, base=pipeline(**changes), **parts).folder


UNASKED = Fixed(
    corpus=DATA.load().corpus,
    queries=[Query(word, "zzz" if word == "beta" else f"what is {word}") for word in WORDS],
    qrels={word: {word: 1} for word in WORDS},
)


@pytest.mark.parametrize(
    ("changes", "lost", "stage"),
    [
        ({"gate": BlockFirst()}, [0], gold_path.BLOCKED),
        ({"postprocessors": {"turned": Turned()}}, [0, 1, 2, 3], gold_path.RERANKED_OUT),
        ({"data": UNASKED}, [1], gold_path.NOT_RETRIEVED),
    ],
)
def test_a_loss_of_retrieval_is_named(tmp_path, changes, lost, stage):
    data = changes.get("data", DATA)
    plain, changed = retrieval(tmp_path, data), retrieval(tmp_path, **changes)
    stages = gold(tmp_path, plain, changed, data)
    wanted = [stage if row in lost else gold_path.KEPT for row in range(4)]
    assert stages["b"] == wanted
    if data is DATA:
        assert stages["a"] == [gold_path.KEPT] * 4


def test_a_cut_and_a_depth_are_told_apart(tmp_path):
    turned = {"turned": Turned()}
    below = retrieval(tmp_path, postprocessors=turned, metrics="map@2")
    cut = retrieval(tmp_path, postprocessors=turned | {"top": TopK(top_k=1)}, metrics="map@2")
    stages = gold(tmp_path, below, cut)
    assert {*stages["a"]} == {gold_path.RERANKED_OUT}
    assert {*stages["b"]} == {gold_path.CUT}


def test_chunks_that_tear_a_span_lose_it(tmp_path):
    corpus = [Document("d", " ".join(f"word{n}" for n in range(60)))]
    spans = {"q": [Span("d", 0, len(corpus[0].text))]}
    data = Fixed(corpus=corpus, queries=[Query("q", "word1")], qrels=None, spans=spans)
    cutter = FixedTokens(chunk_size=16, chunk_overlap=0)
    names = ["1-span_recall@3", "span_failure_rate@3", "span_recall@3"]
    whole = retrieval(tmp_path, data, names)
    torn = retrieval(tmp_path, data, names, chunker=cutter)
    assert gold(tmp_path, whole, torn, data) == {
        "a": [gold_path.KEPT],
        "b": [gold_path.NOT_IN_CHUNK],
    }


@pytest.mark.parametrize("metric", ["1-span_recall@1", "span_failure_rate@1", "span_recall@1"])
def test_less_failure_is_a_gain(tmp_path, metric):
    corpus = [Document("d", "alpha beta"), Document("e", "gamma delta gamma")]
    data = Fixed(
        corpus=corpus,
        queries=[Query("q", "gamma")],
        qrels=None,
        spans={"q": [Span("d", 0, 5)]},
    )
    found = retrieval(tmp_path, data, metric)
    page = pd.read_parquet(found / "bm25" / "per_query.parquet")
    made = setting(tmp_path, dataset=data, submission=None, split=RandomSplit())
    better = tmp_path / "better" / "bm25"
    better.mkdir(parents=True)
    page[metric] = 1 - page[metric]
    page.to_parquet(better / "per_query.parquet")
    (better / "ranking.trec").write_bytes((found / "bm25" / "ranking.trec").read_bytes())
    report = DiffStudy(setting=made, a=str(found / "bm25"), b=str(better)).run()
    table = pd.read_csv(report.folder / "questions.tsv", sep="\t")
    assert table["outcome"].tolist() == ["won"]


def test_an_answer_run_is_found_by_its_fingerprint(tmp_path):
    run = study(tmp_path, dataset=DATA).run().folder
    mark = json.loads((run / "summary.json").read_text())["fingerprints"]["state"]
    made = setting(tmp_path, dataset=DATA, submission=None)
    assert DiffStudy(setting=made, a=mark[:10], b=str(run)).run().folder
