"""BM25 on Elasticsearch: what is sent, what is loaded, and what is said when it goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrievers import elasticsearch, elasticsearch_bodies
from retrievers.bm25 import BM25Retriever
from retrievers.elasticsearch import ElasticsearchRetriever, ElasticsearchServer
from tests.retrievers.stub_search_server import StubElasticsearch

GOLDEN = Path(__file__).parent / "golden" / "elasticsearch.json"
TEXTS = ["물은 100도에서 끓는다.", "식물은 빛으로 자란다.", "빛은 빠르다."]


@pytest.fixture
def stub() -> Iterator[StubElasticsearch]:
    stub = StubElasticsearch()
    with stub.running() as stub.address:
        yield stub


def retriever(stub: StubElasticsearch, **options: Any) -> ElasticsearchRetriever:
    return ElasticsearchRetriever(
        ElasticsearchServer(stub.address, attempts=3, first_wait=0.001), **options
    )


def sent(stub: StubElasticsearch, action: str) -> list[Any]:
    return [body for _, path, body in stub.requests if path.endswith(action)]


def test_what_is_sent_to_a_server_is_pinned(stub: StubElasticsearch) -> None:
    part = retriever(stub)
    part.index(TEXTS)
    part.search(["빛과 물", ""], 2)
    part.score(["빛"], np.array([[2, 0, -1]], dtype=np.int32))
    english = retriever(stub, analyzer="english", k1=0.9, b=0.4)
    english.index(["Water boils."])
    assert json.loads(json.dumps(stub.requests)) == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_it_ranks_as_bm25_does(stub: StubElasticsearch) -> None:
    part, ours = retriever(stub), BM25Retriever(k1=1.2)
    for one in (part, ours):
        one.index(TEXTS)
    rows, scores = part.search(["빛", "물", "zzz"], 3)
    expected_rows, expected_scores = ours.search(["빛", "물", "zzz"], 3)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_allclose(scores, expected_scores, rtol=1e-6)


def test_a_passage_without_a_shared_term_scores_zero(stub: StubElasticsearch) -> None:
    part = retriever(stub)
    part.index(TEXTS)
    scores = part.score(["빛"], np.array([[0, 1, -1]], dtype=np.int32))[0]
    assert scores[0] == 0.0
    assert scores[1] > 0.0
    assert np.isnan(scores[2])


def test_a_second_run_loads_nothing(stub: StubElasticsearch) -> None:
    retriever(stub).index(TEXTS)
    stub.requests.clear()
    retriever(stub, name="other").index(TEXTS)
    assert [path.rpartition("/")[2] for _, path, _ in stub.requests] == ["_count"]


@pytest.mark.parametrize(
    "option", [{"k1": 0.9}, {"b": 0.5}, {"analyzer": "english"}, {"decompound": "discard"}]
)
def test_other_settings_or_texts_are_another_index(
    stub: StubElasticsearch, option: dict[str, Any]
) -> None:
    retriever(stub).index(TEXTS)
    retriever(stub, **option).index(TEXTS)
    retriever(stub).index(TEXTS[::-1])
    assert len(stub.indexes) == 3


def test_queries_and_passages_are_sent_in_batches(
    stub: StubElasticsearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elasticsearch_bodies, "PASSAGES_AT_ONCE", 2)
    monkeypatch.setattr(elasticsearch, "HITS_AT_ONCE", 4)
    part = retriever(stub)
    part.index(TEXTS)
    rows, _ = part.search(["빛", "물", "빛", "물", "빛"], 2)
    assert [len(body) for body in sent(stub, "_bulk")] == [4, 2]
    assert [len(body) for body in sent(stub, "_msearch")] == [4, 4, 2]
    assert rows[:, 0].tolist() == [rows[0, 0], 0, rows[0, 0], 0, rows[0, 0]]


def test_a_passage_that_is_not_taken_is_an_error_and_a_second_run_loads_what_is_missing(
    stub: StubElasticsearch,
) -> None:
    stub.refused = {"1": 400}
    with pytest.raises(
        ValueError, match=r"did not take 1 of 3 passages; passage number 2: not this one"
    ):
        retriever(stub).index(TEXTS)
    part = retriever(stub)
    part.index(TEXTS)
    assert part.search(["식물"], 1)[0].tolist() == [[1]]
    assert [len(passages) for passages in stub.indexes.values()] == [3]


def test_a_passage_that_is_turned_away_for_a_while_is_sent_again(stub: StubElasticsearch) -> None:
    stub.refused = {"1": 429}
    part = retriever(stub)
    part.index(TEXTS)
    assert part.server.repeats == {"429": 1}
    assert [len(passages) for passages in stub.indexes.values()] == [3]


def test_an_index_that_stays_too_small_is_an_error(
    stub: StubElasticsearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = retriever(stub)
    monkeypatch.setattr(stub, "_refresh", lambda index: stub.indexes[index].popitem())
    with pytest.raises(ValueError, match="holds 2 of 3 passages after loading"):
        part.index(TEXTS)


@pytest.mark.parametrize("fault", [429, 500, "close", "cut"])
def test_a_fault_at_any_call_changes_no_result(stub: StubElasticsearch, fault: int | str) -> None:
    calm = retriever(stub)
    calm.index(TEXTS)
    expected = calm.search(["빛과 물"], 3)
    stub.indexes.clear()
    for _ in range(6):
        stub.faults += [fault, None]
    part = retriever(stub)
    part.index(TEXTS)
    rows, scores = part.search(["빛과 물"], 3)
    assert part.server.repeats.total() >= 4  # a cut 404 is a 404
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(scores, expected[1])


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"root_cause": [{"reason": "too many clauses"}]}, "status": 400},
        {"timed_out": True, "hits": {"hits": []}},
        {"_shards": {"failed": 1}, "hits": {"hits": []}},
    ],
)
def test_a_search_that_failed_is_no_empty_result(
    stub: StubElasticsearch, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    part = retriever(stub)
    part.index(TEXTS)
    monkeypatch.setattr(stub, "_search", lambda index, bodies: [answer for _ in bodies])
    with pytest.raises(ValueError, match="could not search for query number 1"):
        part.search(["빛"], 1)


def test_an_index_that_the_server_lost_is_said_at_load(
    stub: StubElasticsearch, tmp_path: Path
) -> None:
    part = retriever(stub)
    part.index(TEXTS)
    part.save(tmp_path)
    stub.indexes.clear()
    with pytest.raises(ValueError, match="holds 0 of the 3 passages of rankproof-"):
        retriever(stub).load(tmp_path)


def test_a_server_without_nori_is_told_what_it_lacks(stub: StubElasticsearch) -> None:
    stub.plugins = False
    with pytest.raises(ValueError, match="elasticsearch-plugin install analysis-nori"):
        retriever(stub).index(TEXTS)


@pytest.mark.parametrize("option", [{"analyzer": "kiwi"}, {"decompound": "all"}])
def test_an_unknown_analysis_is_refused(stub: StubElasticsearch, option: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="choose from"):
        retriever(stub, **option)


@pytest.mark.parametrize("option", [{"k1": -1.0}, {"b": 1.5}])
def test_weights_out_of_range_are_refused(stub: StubElasticsearch, option: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="b lies between 0 and 1"):
        retriever(stub, **option)
