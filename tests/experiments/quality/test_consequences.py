"""What bad chunks cost and what a reader said of them: counted, compared, and said where not."""

import math

import pandas as pd
import pytest

from tests.experiments.quality.studies import GOOD, Blocks, study


def test_pure_chunks_are_told_from_shuffled_ones_and_misses_are_looked_at(tmp_path):
    labels = [(f"{topic} {n}", f"{topic}{n}") for topic in ("rivers", "stars") for n in range(12)]
    folder, record = study(tmp_path, GOOD, labels, topics=3, k=1)
    assert record.measures["sentence_similarity/auc_low"] > 0.5
    told = pd.read_csv(folder / "misses.tsv", sep="\t")
    assert set(told["measure"]) >= {"tokens", "sentence_similarity", "topic_entropy"}
    assert (told["missed"] + told["found"] <= len(labels)).all()
    assert record.measures["misses/gold_passages"] == len(labels)


def test_a_miss_is_counted_for_its_chunk_and_held_against_the_score_of_its_query(tmp_path):
    """Half of the questions ask for words of another passage, which is short."""
    texts = GOOD | {f"gold{n}": f"Rock {letter}. Sand." for n, letter in enumerate("bcdefghijklm")}
    labels = [(f"rivers wet {n}", f"gold{n}") for n in range(12)]
    labels += [(f"stars hot {n}", f"stars{n}") for n in range(12)]
    folder, record = study(tmp_path, texts, labels, topics=3, k=20)
    table = pd.read_parquet(folder / "chunks.parquet").set_index("chunk")
    assert table.loc["gold3", ["wanted", "missed"]].tolist() == [1, 1]
    assert table.loc["stars3", ["wanted", "missed"]].tolist() == [1, 0]
    assert table.loc["birds3", ["wanted", "missed"]].tolist() == [0, 0]
    told = pd.read_csv(folder / "misses.tsv", sep="\t").set_index("measure").loc["tokens"]
    assert told["missed"] == told["found"] == 12
    assert told["auc"] == 0
    assert (told["tenth"], told["share"]) == ("lowest", pytest.approx(0.2))
    assert told["correlation"] > 0.8
    assert told["correlation_p"] < 0.01
    assert "low values go with misses" in told["said"]
    assert "a higher ndcg@20" in told["said"]
    assert record.measures["misses/auc_of_tokens"] == 0
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    assert "among the first 20 results of BM25Retriever" in page


def test_what_the_gate_blocked_is_left_out_and_said(tmp_path):
    labels = [(f"stars hot {n}", f"stars{n}") for n in range(12)]
    folder, record = study(tmp_path, GOOD, labels, topics=3, gate=Blocks("q1", "q2"))
    assert record.measures["misses/gold_passages"] == 2
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    assert "10 queries that the gate blocked" in page
    (tmp_path / "all").mkdir()
    folder, _ = study(tmp_path / "all", GOOD, labels, topics=3, gate=Blocks())
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    assert "The gate blocked all 12 queries" in page
    assert "Left out" not in page
    assert not (folder / "misses.tsv").exists()


def test_without_labels_the_page_says_so_where_it_would_speak_of_cost(tmp_path):
    folder, _ = study(tmp_path, GOOD, topics=3)
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    _, _, after = page.partition("<h2>What it costs</h2>")
    assert "The dataset has no labels" in after.partition("<h2>")[0]


def review_of(path, labels):
    rows = "".join(f"{name},{said},\r\n" for name, said in labels.items())
    path.write_text("\ufeffchunk_id,labels,note\r\n" + rows, encoding="utf-8")
    return path


def test_a_readers_labels_are_counted_and_held_against_the_measures(tmp_path):
    """What the reader calls long is long; what she calls good is drawn at random."""
    texts = GOOD | {f"long{n}": "Rivers are wet. " * (9 + n) for n in range(12)}
    said = {f"long{n}": "long" for n in range(12)} | {f"birds{n}": "good;short" for n in range(12)}
    review = review_of(tmp_path / "review.csv", said | {"stars0": "odd", "stars1": ""})
    folder, _ = study(tmp_path, texts, topics=3, review=review)
    told = pd.read_csv(folder / "labels.tsv", sep="\t").set_index(["label", "measure"])
    long = told.loc[("long", "tokens")]
    assert (long["chunks"], long["labelled"], long["higher"]) == (12, 25, 1.0)
    assert 0.29 < long["share_low"] < long["share"] == 0.48 < long["share_high"] < 0.67
    assert math.isnan(told.loc[("odd", "tokens"), "higher"])
    page = (folder / "chunk_quality.html").read_text(encoding="utf-8")
    assert "review.csv labels 25 of 48 chunks" in page
    assert "labelled &#34;long&#34; has the higher tokens in 100" in page
    assert "Too few chunks with or without it to compare their measures: odd" in page


@pytest.mark.parametrize(
    ("labels", "message"),
    [({"nobody": "good"}, '"nobody" is no chunk here'), ({"stars0": ""}, "holds no label")],
)
def test_a_review_that_does_not_fit_is_refused_before_anything_is_measured(
    tmp_path, labels, message
):
    review = review_of(tmp_path / "review.csv", labels)
    with pytest.raises(ValueError, match=message):
        study(tmp_path, GOOD, review=review)
    assert not (tmp_path / "runs").exists()
    assert not (tmp_path / "store" / "reading").exists()
