"""The study of chunks on odd corpora: a value or a counted skip, never a crash."""

import json
import math
import re

import pandas as pd
import pytest

from chunk_quality.sentence_similarity import SentenceSimilarity
from chunk_quality.topic_entropy import TopicEntropy
from tests.experiments.quality.studies import GOOD, study

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
    assert json.loads((folder / "measures.json").read_text())["measures"] == record.measures


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
    (tmp_path / "deep").mkdir()
    with pytest.raises(ValueError, match="k is 21 and the pipeline finds 20"):
        study(tmp_path / "deep", GOOD, k=21)


def test_a_group_of_near_copies_is_counted_once_however_many_are_exact(tmp_path, capsys):
    """Two pairs of equal chunks that are nearly equal to each other are one group."""
    long = "물은 백 도에서 끓고 얼음은 영 도에서 녹으며 쇠는 그보다 훨씬 뜨거워야 녹는다. 끝"
    copies = {"a1": long, "a2": long, "b1": long + "!", "b2": long + "!"}
    folder, record = study(tmp_path, GOOD | copies, topics=3)
    assert record.measures["duplicates/exact_groups"] == 2
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    groups = int(record.measures["duplicates/near_groups"])
    assert f"{groups} groups of chunks that are equal or nearly so, 1 of them with exact" in page
