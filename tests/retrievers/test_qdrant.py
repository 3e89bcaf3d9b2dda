"""Vectors in Qdrant: what is sent, ties, what is uploaded, and what is said when it goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from retrievers import qdrant
from retrievers.dense import DenseRetriever
from retrievers.lsa import LsaEmbedding
from retrievers.qdrant import QdrantNeighbours, QdrantServer
from tests.retrievers.stub_search_server import StubQdrant

GOLDEN = Path(__file__).parent / "golden" / "qdrant.json"
VECTORS = np.array([[1, 0], [0, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)


@pytest.fixture
def stub() -> Iterator[StubQdrant]:
    stub = StubQdrant()
    with stub.running() as stub.address:
        yield stub


def neighbours(stub: StubQdrant, **options: Any) -> QdrantNeighbours:
    return QdrantNeighbours(QdrantServer(stub.address, attempts=3, first_wait=0.001), **options)


def uploads(stub: StubQdrant) -> list[int]:
    return [len(body["points"]) for _, path, body in stub.requests if "wait=true" in path]


def test_what_is_sent_to_a_server_is_pinned(stub: StubQdrant) -> None:
    for part in (neighbours(stub), neighbours(stub, exact=False, search_depth=64)):
        part.build(VECTORS)
        part.nearest(VECTORS[[0, 3]], 2)
    assert json.loads(json.dumps(stub.requests)) == json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("batch", [1, 50])
def test_it_finds_what_exact_search_finds(
    stub: StubQdrant, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(qdrant, "QUERIES_AT_ONCE", batch)
    texts = [f"원소 {n % 50}번과 {n % 7}족" for n in range(120)]
    exact = DenseRetriever(LsaEmbedding(dimensions=16))
    part = DenseRetriever(LsaEmbedding(dimensions=16), neighbours=neighbours(stub))
    for one in (exact, part):
        one.build([TextNode(text=text, id_=str(row)) for row, text in enumerate(texts)])
    for found, expected in zip(
        part.search(texts[:20], 5), exact.search(texts[:20], 5), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_ties_at_the_edge_are_fetched_whole(stub: StubQdrant) -> None:
    part = neighbours(stub)
    part.build(np.tile(VECTORS[2], (100, 1)))
    assert set(part.nearest(VECTORS[[2]], 10)[0]) == set(range(100))


def test_a_second_run_uploads_nothing(stub: StubQdrant) -> None:
    neighbours(stub).build(VECTORS)
    stub.requests.clear()
    neighbours(stub, exact=False).build(VECTORS)
    assert [path.rpartition("/")[2] for _, path, _ in stub.requests] == ["count"]


def test_other_vectors_are_another_collection(stub: StubQdrant) -> None:
    neighbours(stub).build(VECTORS)
    neighbours(stub).build(VECTORS[::-1].copy())
    assert len(stub.collections) == 2


def test_vectors_are_uploaded_in_batches(stub: StubQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant, "NUMBERS_AT_ONCE", 4)
    neighbours(stub).build(VECTORS)
    assert uploads(stub) == [2, 1]


def test_a_collection_that_stays_too_small_is_an_error_and_a_second_run_completes_it(
    stub: StubQdrant,
) -> None:
    stub.lost = {2}
    with pytest.raises(ValueError, match="holds 2 of 3 vectors after the upload"):
        neighbours(stub).build(VECTORS)
    stub.lost = set()
    neighbours(stub).build(VECTORS)
    assert [sorted(points) for points in stub.collections.values()] == [[0, 2, 3]]


@pytest.mark.parametrize("fault", [429, 500, "close", "cut"])
def test_a_fault_at_any_call_changes_no_result(stub: StubQdrant, fault: int | str) -> None:
    for _ in range(5):
        stub.faults += [fault, None]
    part = neighbours(stub)
    part.build(VECTORS)
    assert part.nearest(VECTORS[[0]], 3).tolist() == [[0, 2, 3]]
    assert part.server.repeats.total() >= 3  # a cut 404 is a 404


@pytest.mark.parametrize("vectors", [np.zeros((0, 0)), np.zeros((3, 2))])
def test_nothing_to_find_asks_no_server(stub: StubQdrant, vectors: Any, tmp_path: Path) -> None:
    part = neighbours(stub)
    part.build(vectors.astype(np.float32))
    part.save(tmp_path)
    neighbours(stub).load(tmp_path)
    assert stub.requests == []


def test_a_collection_that_the_server_lost_is_said_at_load(
    stub: StubQdrant, tmp_path: Path
) -> None:
    part = neighbours(stub)
    part.build(VECTORS)
    part.save(tmp_path)
    stub.collections.clear()
    with pytest.raises(ValueError, match="holds 0 of the 3 vectors of rankproof-"):
        neighbours(stub).load(tmp_path)


def test_a_search_depth_below_one_is_refused(stub: StubQdrant) -> None:
    with pytest.raises(ValueError, match="search_depth=0"):
        neighbours(stub, search_depth=0)
