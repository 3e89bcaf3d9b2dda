"""The graph finds what exact search finds, nearly always, and is the same each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from retrievers.dense import DenseRetriever
from retrievers.hnsw import Hnsw
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking
from tests.retrievers.test_dense import Table

COUNT, DEPTH = 3000, 10


@pytest.fixture(scope="module")
def vectors() -> dict[str, list[float]]:
    """Passages in clusters, as embeddings are, and queries near them."""
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(40, 24))
    places = generator.integers(0, 40, COUNT + 50)
    points = centres[places] + 0.5 * generator.normal(size=(COUNT + 50, 24))
    return {str(row): point.tolist() for row, point in enumerate(points)}


def searched(vectors: dict[str, list[float]], neighbours: Hnsw | None) -> Ranking:
    retriever = DenseRetriever(Table(vectors=vectors), neighbours=neighbours)
    retriever.build([TextNode(id_=str(row), text=str(row)) for row in range(COUNT)])
    plans = [QueryPlan(f"q{row}", {EVERY_PART: (str(row),)}) for row in range(COUNT, COUNT + 50)]
    return retriever.retrieve_many(plans, DEPTH)


def test_it_finds_nearly_all_that_exact_search_finds_with_the_same_scores(vectors) -> None:
    exact, near = searched(vectors, None), searched(vectors, Hnsw())
    shared = [set(exact.ids(row)) & set(near.ids(row)) for row in range(50)]
    assert sum(map(len, shared)) >= 0.98 * 50 * DEPTH
    rough = searched(vectors, Hnsw(links=2, build_depth=2, search_depth=1))
    found = [set(exact.ids(row)) & set(rough.ids(row)) for row in range(50)]
    assert sum(map(len, found)) < sum(map(len, shared))
    for row in range(50):
        scores = dict(zip(exact.ids(row), exact.scores[row], strict=True))
        for name, score in zip(near.ids(row), near.scores[row], strict=True):
            assert score == scores.get(name, score)


def test_the_same_corpus_gives_the_same_graph_and_a_loaded_one_the_same_results(
    vectors, tmp_path: Path
) -> None:
    files = []
    table = np.array([vectors[str(row)] for row in range(COUNT)], dtype=np.float32)
    for name in ("one", "other"):
        graph = Hnsw(links=8)
        graph.build(table)
        (tmp_path / name).mkdir()
        graph.save(tmp_path / name)
        files.append((tmp_path / name / "hnsw.faiss").read_bytes())
    assert files[0] == files[1]
    again = Hnsw(links=8)
    again.load(tmp_path / "one")
    queries = table[:20]
    np.testing.assert_array_equal(again.nearest(queries, 5), graph.nearest(queries, 5))


def test_nothing_to_search_finds_nothing(tmp_path: Path) -> None:
    graph = Hnsw()
    graph.build(np.zeros((0, 4), dtype=np.float32))
    assert graph.nearest(np.ones((2, 4), dtype=np.float32), 3).tolist() == [[-1] * 3] * 2
    graph.save(tmp_path)
    graph.load(tmp_path)
    with pytest.raises(ValueError, match="links from 2"):
        Hnsw(1)
