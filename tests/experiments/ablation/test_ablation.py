"""An ablation switches off one thing at a time, and its numbers are those of the runs it made."""

import time

import pandas as pd
import pytest

from experiments.ablation.study import Ablation
from experiments.ablation.variants import without_each
from experiments.chunkers import FixedTokens, WholeDocuments
from experiments.identity import describe
from postprocessors.cross_encoder import CrossEncoder
from postprocessors.fuse import Fuse
from postprocessors.proximity import ProximityScorer
from postprocessors.top_k import TopK
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.enrich import NoEnrichment
from retrievers.fusion import Hybrid
from retrievers.gate import NoGate, ScoreGate
from retrievers.queries import LastTurn
from tests.experiments.test_comparison import hybrid, pipeline, setting

OFF = {
    "chunker": WholeDocuments(),
    "enrich": NoEnrichment(),
    "query": LastTurn(),
    "gate": NoGate(),
}


def fused(**changes):
    parts = {
        "retriever": hybrid(),
        "gate": ScoreGate(draws=19),
        "postprocessors": {
            "cross_encoder": CrossEncoder(scorer=ProximityScorer()),
            "fuse": Fuse(
                weights={
                    "found": {"weight": 0.5, "parts": {"bm25": 2, "char_tfidf": 1}},
                    "rerank": 0.5,
                }
            ),
        },
    }
    return pipeline(**{**parts, **changes})


def test_every_part_is_switched_off_once():
    assert without_each(fused(), OFF).keys() == {
        "without enrich",
        "without query",
        "without gate",
        "without cross_encoder",
        "without fuse",
        "without bm25",
        "without char_tfidf",
        "normalise none",
    }
    split = without_each(fused(chunker=FixedTokens(chunk_size=64, chunk_overlap=0)), OFF)
    assert "without chunker" in split


def test_what_is_off_already_is_no_variant():
    plain = pipeline(enrich=NoEnrichment(), query=LastTurn())
    assert without_each(plain, OFF) == {}


def test_each_variant_differs_from_the_whole():
    whole = fused()
    for name, changes in without_each(whole, OFF).items():
        for part, changed in changes.items():
            assert describe(changed) != describe(getattr(whole, part)), name


def test_a_fuse_step_does_not_weigh_what_is_gone():
    variants = without_each(fused(), OFF)
    fuse = variants["without cross_encoder"]["postprocessors"]["fuse"]
    assert fuse.effective_weights() == {"bm25": 1.0, "char_tfidf": 0.5}
    fuse = variants["without bm25"]["postprocessors"]["fuse"]
    assert fuse.effective_weights() == {"char_tfidf": 0.5, "rerank": 0.5}
    assert list(variants["without bm25"]["retriever"].leaves()) == ["char_tfidf"]
    alone = fused(
        postprocessors={
            "cross_encoder": CrossEncoder(scorer=ProximityScorer()),
            "fuse": Fuse(weights={"rerank": 1}),
        }
    )
    assert without_each(alone, OFF)["without cross_encoder"]["postprocessors"] == {}


def test_a_normalisation_goes_back_to_the_default():
    parts = {"bm25": BM25Retriever(), "char_tfidf": CharTfidfRetriever()}
    ranked = pipeline(retriever=Hybrid(parts, normalise="rank"))
    changed = without_each(ranked, OFF)["normalise zscore"]["retriever"]
    assert {rule.normalise for rule in changed.rules().values()} == {"zscore"}


@pytest.mark.slow
def test_the_table_is_that_of_the_runs_and_stored_stages_are_reused(tmp_path, capsys):
    six = fused(postprocessors={"top_k": TopK(top_k=20)})
    Ablation(setting=setting(tmp_path), pipeline=six, instead=OFF).run()
    capsys.readouterr()
    started = time.process_time()
    report = Ablation(setting=setting(tmp_path), pipeline=six, instead=OFF).run()
    assert time.process_time() - started < 20
    assert report.stored
    table = pd.read_csv(report.folder / "ablation.tsv", sep="\t")
    assert len(table["part"].unique()) >= 6
    assert {*table["half"]} == {"public", "private"}
    row = table[(table["part"] == "without gate") & (table["half"] == "private")].iloc[0]
    scores = {
        name: pd.read_parquet(report.folder / name / "per_query.parquet")
        for name in ("whole", "without gate")
    }
    private = scores["whole"]["split"] == "private"
    change = (scores["whole"]["map@3"] - scores["without gate"]["map@3"])[private].dropna()
    assert row["worth"] == pytest.approx(change.mean(), abs=1e-5)
    assert row["queries"] == pytest.approx(change.sum(), abs=1e-4)
    assert row["won"] == (change > 1e-9).sum()
    assert (table["p_holm"] >= table["p"] - 1e-9).all()
    assert "What each part is worth" in capsys.readouterr().out


def test_a_pipeline_without_a_part_to_switch_off_is_refused(tmp_path):
    plain = pipeline(enrich=NoEnrichment(), query=LastTurn())
    with pytest.raises(ValueError, match="no part to switch off"):
        Ablation(setting=setting(tmp_path), pipeline=plain, instead=OFF).run()
