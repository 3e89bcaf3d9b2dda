"""How long chunks are, in tokens of a named kind."""

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from chunk_quality.reading import read
from chunk_quality.token_counts import TOKENIZERS, TokenCounts
from retrievers.korean import kiwi


def nodes(*texts: str) -> list[TextNode]:
    return [TextNode(id_=f"d{i}", text=text) for i, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("tokenizer", "counts"),
    [
        ("o200k_base", [3, 5, 0]),
        ("cl100k_base", [3, 8, 0]),
        ("characters", [11, 6, 0]),
        ("morphemes", [3, 5, 0]),
    ],
)
def test_each_tokenizer_counts_its_own_units(tokenizer: str, counts: list[int]) -> None:
    found = TokenCounts(tokenizer=tokenizer).measure(nodes("Ice floats.", "물은 언다.", ""))
    assert found.counts.tolist() == counts
    assert found.counts.dtype == np.int64


def test_korean_morphemes_are_those_of_kiwi() -> None:
    text = "얼음은 물보다 가벼워서 뜬다."
    found = TokenCounts(tokenizer="morphemes").measure(nodes(text))
    assert found.counts.tolist() == [len(kiwi().tokenize(text))]


def test_morphemes_come_from_the_reading_that_is_there(monkeypatch) -> None:
    chunks = nodes("물은 언다. 얼음은 뜬다.", "Ice floats.", "?!")
    part, reading = TokenCounts(tokenizer="morphemes"), read(chunks)
    alone = part.measure(chunks).counts.tolist()
    monkeypatch.setattr("chunk_quality.token_counts.read", None)
    assert part.measure(chunks, reading).counts.tolist() == alone == [10, 3, 0]


def test_a_title_and_metadata_are_not_counted() -> None:
    chunk = TextNode(text="물", metadata={"title": "물의 성질"})
    assert TokenCounts(tokenizer="characters").measure([chunk]).counts.tolist() == [1]


def test_statistics_are_those_of_all_chunks() -> None:
    lengths = [1, 2, 3, 4, 100]
    found = TokenCounts(tokenizer="characters").measure(nodes(*("x" * n for n in lengths)))
    statistics = found.statistics()
    assert statistics["mean"] == pytest.approx(22)
    assert statistics["median"] == 3
    assert statistics["std"] == pytest.approx(np.sqrt(1522))
    assert (statistics["min"], statistics["max"]) == (1, 100)
    assert [statistics[name] for name in ("p5", "p25", "p75", "p95")] == pytest.approx(
        [1.2, 2, 4, 80.8]
    )


def test_only_chunks_over_the_limit_are_listed_in_corpus_order() -> None:
    part = TokenCounts(tokenizer="characters", limit=3)
    assert part.measure(nodes("xxxx", "xxx", "xx", "xxxxx")).over_limit == ("d0", "d3")


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_bad_texts_have_a_length(tokenizer: str) -> None:
    texts = ["", " \n", "?!", "12,345", "\ud800물", "가\u1100\u1161", "👩‍👩‍👧", "<|endoftext|>"]
    found = TokenCounts(tokenizer=tokenizer).measure(nodes(*texts))
    assert found.counts.min() == 0
    assert all(np.isfinite(list(found.statistics().values())))


def test_no_chunk_has_no_statistics() -> None:
    found = TokenCounts().measure([])
    assert (found.counts.tolist(), found.over_limit, found.statistics()) == ([], (), {})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokenizer": "gpt9"}, r"^tokenizer=gpt9 is unknown: choose o200k_base, .*\.$"),
        ({"limit": 0}, r"^limit=0 is no length: .*\.$"),
        ({"limit": 1.5}, r"^limit=1.5 is no length: .*\.$"),
    ],
)
def test_wrong_options_are_refused(options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenCounts(**options)


def test_a_reading_of_other_chunks_is_refused() -> None:
    with pytest.raises(ValueError, match="not of these chunks"):
        TokenCounts().measure(nodes("물"), read(nodes("물", "불")))
