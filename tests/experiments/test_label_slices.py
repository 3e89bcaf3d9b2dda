"""Scores by label and by tag: held to means taken by hand, and found in a run's folder."""

import json
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from hypothesis import given
from hypothesis import strategies as st

from experiments.chunkers import FixedTokens, WholeDocuments
from experiments.chunking import chunk
from experiments.comparison import Comparison
from experiments.datasets.science_qa import ScienceQA
from experiments.evaluation import Evaluator
from experiments.fusion.simplex import Grid
from experiments.fusion.space import Space
from experiments.fusion_search import FusionSearch
from experiments.imported_run import ImportedRuns
from experiments.label_slices import (
    COLUMNS,
    gold_labels,
    label_slices,
    review_notes,
    tag_slices,
)
from experiments.metrics.per_query import PerQuery
from experiments.pipeline import Pipeline
from experiments.schema import Dataset, Document, Query, Span
from experiments.setting import Setting
from experiments.splits import RandomSplit, Split
from experiments.store import NoStore
from experiments.tracking.none import NoTracker
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.enrich import TitlePrefix
from retrievers.fusion import Hybrid
from retrievers.gate import NoGate
from retrievers.queries import AllUserTurns

ROOT = Path(__file__).resolve().parents[2]
CONF, SAMPLE = ROOT / "conf", ROOT / "data" / "science_sample"
SPLIT = Split(everyone=("a", "b", "c", "d"), public=("a", "b", "c"), private=("d",))


def scores(values, metrics=("map@3",), queries=("a", "b", "c", "d")):
    values = np.array(values, dtype=np.float64).reshape(len(queries), len(metrics))
    return PerQuery(tuple(queries), metrics, values, (True,) * len(metrics))


def row(frame, **wanted):
    (found,) = frame[np.logical_and.reduce([frame[k] == v for k, v in wanted.items()])].to_dict(
        "records"
    )
    return found


def reviewed(tmp_path, *rows):
    path = tmp_path / "labels.csv"
    lines = [f"{name},{labels}," for name, labels in rows]
    path.write_text("\n".join(["chunk_id,labels,note", *lines]) + "\n", encoding="utf-8")
    return path


def dataset(qrels=None, spans=None, texts=("one", "two", "three"), queries=("a", "b", "c", "d")):
    return Dataset(
        name="small",
        corpus=tuple(Document(f"d{i}", text) for i, text in enumerate(texts)),
        queries=tuple(Query(name, "?") for name in queries),
        qrels=qrels,
        fingerprint="",
        spans=spans,
    )


def test_a_slice_and_the_rest_with_how_many_queries_each_covers():
    gold = {"a": {"wrong", "mixed"}, "b": {"wrong"}, "d": {"good"}}
    frame = label_slices(scores([1.0, np.nan, 0.25, 0.5]), SPLIT, gold)
    assert tuple(frame.columns) == COLUMNS
    assert row(frame, slice="wrong", split="public") == {
        "by": "label",
        "slice": "wrong",
        "split": "public",
        "metric": "map@3",
        "mean": 1.0,
        "n_scored": 1,
        "n_total": 2,
        "rest_mean": 0.25,
        "rest_n_scored": 1,
        "rest_n_total": 1,
    }
    assert row(frame, slice="wrong", split="all")["rest_mean"] == 0.375
    assert not frame.isna().any(axis=None)


def test_slices_that_are_empty_or_everything_are_left_out():
    gold = {"a": {"x"}, "b": {"x"}, "c": {"x"}, "d": {"y"}}
    frame = label_slices(scores([1, 1, 0, 0]), SPLIT, gold)
    assert {(r["slice"], r["split"]) for _, r in frame.iterrows()} == {("x", "all"), ("y", "all")}
    assert len(label_slices(scores([1, 1, 0, 0]), SPLIT, {})) == 0


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, np.nan]), min_size=4, max_size=4),
    st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from("xyz"))),
)
def test_slice_and_rest_make_up_the_mean_of_the_split(values, gold):
    table = scores(values)
    for _, found in label_slices(table, SPLIT, gold).iterrows():
        whole = table.mean(SPLIT.of(found["split"]))["map@3"]
        assert found["n_scored"] + found["rest_n_scored"] == whole.n_scored
        assert found["n_total"] + found["rest_n_total"] == whole.n_total
        total = found["mean"] * found["n_scored"] + found["rest_mean"] * found["rest_n_scored"]
        assert total / whole.n_scored == pytest.approx(whole.mean)


def test_a_sealed_half_is_never_touched():
    sealed = Split(SPLIT.everyone, SPLIT.public, SPLIT.private, sealed=True)
    public = scores([1, 0, 0], queries=("a", "b", "c"))
    frame = label_slices(public, sealed, {"a": {"x"}, "d": {"x", "secret"}})
    assert set(frame["split"]) == {"public"}
    assert set(frame["slice"]) == {"x"}


def test_tags_slice_by_value_and_those_that_number_queries_do_not():
    queries = [Query(f"q{i}", "?", tags={"turns": str(1 + i % 2), "id": str(i)}) for i in range(40)]
    names = tuple(query.id for query in queries)
    split = Split(names, names, ())
    frame = tag_slices(scores(np.arange(40) % 2, queries=names), split, queries)
    assert set(frame["by"]) == {"turns"}
    assert row(frame, slice="2", split="public")["mean"] == 1.0
    assert row(frame, slice="1", split="public")["rest_n_scored"] == 20


def test_a_document_carries_the_labels_of_its_chunks(tmp_path):
    qrels = {"a": {"d0": 1, "d1": 0}, "b": {"d1": 2, "d2": 1}, "c": {"d2": 0}, "d": {"d2": 1}}
    path = reviewed(tmp_path, ("d0#0", "good"), ("d0#3", "mixed;good"), ("d1", "wrong"), ("d2", ""))
    assert gold_labels(path, dataset(qrels)) == {
        "a": {"good", "mixed"},
        "b": {"wrong"},
        "d": set(),
    }


def test_with_spans_the_chunks_that_hold_the_answer_count(tmp_path):
    texts = ("one two three four five six",)
    chunker = FixedTokens(chunk_size=2, chunk_overlap=0)
    chunks = chunk([Document("d0", texts[0])], chunker)
    assert len(chunks) == 3
    second = chunks[1].start_char_idx
    spans = {"a": [Span("d0", 0, second)], "b": [Span("d0", second, second + 3)], "c": []}
    path = reviewed(tmp_path, ("d0#0", "good"), ("d0#1", "wrong"))
    data = dataset({"a": {"d0": 1}}, spans, texts)
    assert gold_labels(path, data, chunker) == {"a": {"good"}, "b": {"wrong"}}
    with pytest.raises(ValueError, match=r'line 2: "d0#0" is no chunk here'):
        gold_labels(path, data, WholeDocuments())


@pytest.mark.parametrize("name", ["d9", "d0#", "d0#x", "d9#0", "#0"])
def test_a_chunk_of_another_corpus_is_refused_with_its_line(tmp_path, name):
    path = reviewed(tmp_path, ("d1", "good"), (name, "good"))
    with pytest.raises(ValueError, match=rf'labels.csv, line 3: "{name}" is no chunk here'):
        gold_labels(path, dataset({"a": {"d0": 1}}))


def test_a_dataset_without_relevance_has_nothing_to_slice(tmp_path):
    with pytest.raises(ValueError, match="small has no relevance labels"):
        gold_labels(reviewed(tmp_path, ("d0", "good")), dataset())


PIPELINE = Pipeline(
    chunker=WholeDocuments(),
    enrich=TitlePrefix(),
    query=AllUserTurns(),
    retriever=BM25Retriever(),
    gate=NoGate(),
)


def parts_of_a_setting(tmp_path, **changes):
    parts = {
        "dataset": ScienceQA(path=SAMPLE),
        "metrics": Evaluator(["map@3", "recall@10"]),
        "split": RandomSplit(),
        "tracker": NoTracker(),
        "submission": None,
        "store": NoStore(),
        "folder": tmp_path / "runs",
    }
    return Setting(**{**parts, **changes})


def run(tmp_path, **changes):
    shared = parts_of_a_setting(tmp_path, **changes)
    return Comparison(title="test", setting=shared, base=PIPELINE, variants={"bm25": {}}).run()


def sample_review(tmp_path):
    """Every second document wrong, the others good."""
    lines = (SAMPLE / "documents.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    ids = [json.loads(line)["docid"] for line in lines]
    return reviewed(tmp_path, *((name, ("good", "wrong")[i % 2]) for i, name in enumerate(ids)))


def test_a_run_on_the_sample_leaves_the_slices_that_its_own_table_gives(tmp_path, capsys):
    path = sample_review(tmp_path)
    report = run(tmp_path, review=path)
    frame = pd.read_csv(report.folder / "bm25" / "slices.tsv", sep="\t", dtype={"slice": str})
    assert set(frame["by"]) == {"label", "turns"}
    gold = gold_labels(path, ScienceQA(path=SAMPLE).load())
    assert f"{len(gold)} of 150 queries" in capsys.readouterr().out.replace("\n", " ")
    table = pd.read_parquet(report.folder / "bm25" / "per_query.parquet")
    for side in ("public", "private"):
        half = table[table["split"] == side]["recall@10"]
        wrong = half[["wrong" in gold.get(query, ()) for query in half.index]].dropna()
        found = row(frame, slice="wrong", split=side, metric="recall@10")
        assert found["mean"] == pytest.approx(wrong.mean())
        assert found["n_scored"] == len(wrong) > 10


def test_a_sealed_run_writes_public_slices_alone(tmp_path):
    report = run(tmp_path, review=sample_review(tmp_path), split=RandomSplit(sealed=True))
    frame = pd.read_csv(report.folder / "bm25" / "slices.tsv", sep="\t")
    assert set(frame["split"]) == {"public"}
    assert report.means["bm25"].keys() == {"public"}


def test_a_review_of_other_chunks_is_refused_before_any_work(tmp_path):
    with pytest.raises(ValueError, match="is no chunk here"):
        run(tmp_path, review=reviewed(tmp_path, ("elsewhere", "good")))
    assert not (tmp_path / "runs").exists()


def test_the_option_review_reaches_the_folder_and_the_tracker(tmp_path):
    class Kept:
        files: ClassVar[list[Path]] = []

        def log(self, record):
            self.files.extend(record.files)

    words = ["+experiment=retrieval", "retriever=bm25", "gate=none", "tracker=none", "ledger=null"]
    words += [f"review={sample_review(tmp_path)}", "store=off", f"setting.folder={tmp_path}/runs"]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", overrides=words, return_hydra_config=True)
    HydraConfig.instance().set_config(config)
    experiment = instantiate(config.experiment, _convert_="all")
    kept = Kept()
    report = replace(experiment, setting=replace(experiment.setting, tracker=kept)).run()
    table = report.folder / "bm25" / "slices.tsv"
    assert table in kept.files
    assert "label\twrong\tpublic\tmap@3" in table.read_text(encoding="utf-8")


@pytest.mark.slow
def test_imported_runs_and_a_search_are_sliced_too(tmp_path):
    path = sample_review(tmp_path)
    ranking = run(tmp_path).folder / "bm25" / "ranking.trec"
    shared = parts_of_a_setting(tmp_path, review=path)
    imported = ImportedRuns(setting=shared, path=str(ranking)).run()
    assert (imported.folder / "ranking" / "slices.tsv").is_file()
    leaves = {"bm25": BM25Retriever(), "char_tfidf": CharTfidfRetriever()}
    space = Space(weights=Grid(steps=2), normalise=["zscore"], missing=["min"])
    hybrid = replace(PIPELINE, retriever=Hybrid(leaves))
    found = FusionSearch(title="search", setting=shared, pipeline=hybrid, space=space).run()
    for name in ("configured", "best"):
        text = (found.folder / name / "slices.tsv").read_text(encoding="utf-8")
        assert "label\twrong" in text


def test_the_note_says_how_many_queries_the_review_speaks_of():
    dataset = Dataset(
        name="d",
        corpus=[Document("d1", "x")],
        queries=[Query(id="a", text="x"), Query(id="b", text="y")],
        qrels={},
        fingerprint="f",
    )
    (note,) = review_notes("r.csv", dataset, {"bm25": {"a": {"good"}}})
    assert "1 of 2 queries have a reviewed gold passage; slices.tsv has their scores" in note
    (note,) = review_notes("r.csv", dataset, {"bm25": {}, "dense": {}})
    assert (
        note == "r.csv: 0 of 2 queries have a reviewed gold passage, so there is no slice by label."
    )
    assert review_notes(None, dataset, {}) == []
