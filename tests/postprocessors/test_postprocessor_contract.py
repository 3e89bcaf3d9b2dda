"""What every postprocessor in conf/postprocessor promises, whichever it is."""

from __future__ import annotations

import asyncio
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from llama_index.core.schema import NodeWithScore
from omegaconf import DictConfig

from postprocessors.base import BatchPostprocessor
from retrievers.ranking import Ranking
from tests.postprocessors.rankings import PARTS, nodes_of, plans_of, ranking_of

CONF = Path(__file__).parents[2] / "conf"
PRESETS = sorted(path.stem for path in (CONF / "postprocessor").glob("*.yaml"))

TEXTS = [
    "물은 섭씨 100도에서 끓는다.",
    "서울은 대한민국의 수도이다.",
    "식물은 빛으로 포도당을 만든다.",
    "R is a language for statistics.",
    "C is a language for operating systems.",
    "식물은 빛으로 포도당을 만든다.",
    "Plants make glucose from light in a process called photosynthesis.",
    "",
    "\ud800물\0불 😀 … 123",
    "The speed of light is about 300,000 km per second.",
    "Heat flows from warm bodies to cold ones.",
    "달은 지구를 돈다.",
]
QUERIES = ["식물은 빛으로 무엇을 만드나요?", "the speed of light", "", "of the and 은 는"]


@cache
def configured(preset: str) -> DictConfig:
    words = [f"+postprocessor=[{preset}]", "+pair_scorer=proximity", "+llm=lexical"]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose(overrides=words).postprocessor[preset]


@pytest.fixture(params=PRESETS)
def part(request: pytest.FixtureRequest) -> BatchPostprocessor:
    return instantiate(configured(request.param), _convert_="all")  # type: ignore[no-any-return]


def run(
    part: BatchPostprocessor,
    ranking: Ranking,
    queries: list[str] | None = None,
    texts: list[str] | None = None,
) -> Ranking:
    if "weights" in type(part).model_fields:  # fuse weighs what a reranker before it gave
        rerank = np.where(ranking.nodes >= 0, (ranking.nodes * 7 % 5).astype(float), np.nan)
        parts = {**ranking.parts, "rerank": rerank}
        ranking = Ranking(ranking.query_ids, ranking.node_ids, ranking.nodes, ranking.scores, parts)
    plans = plans_of(QUERIES if queries is None else queries)
    return part.postprocess_many(ranking, plans, nodes_of(TEXTS if texts is None else texts))


EVERY = [[*range(12)], [11, 3, 7, 0, 5], [2], []]


def assert_same_nodes(one: Ranking, other: Ranking) -> None:
    assert one.by_query() == other.by_query()


def assert_same(one: Ranking, other: Ranking) -> None:
    assert_same_nodes(one, other)
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.parts.keys() == other.parts.keys()


def test_it_says_where_it_stands(part: BatchPostprocessor) -> None:
    assert part.role in {"filter", "rerank", "fuse", "select", "cut", "reorder"}


def test_no_id_twice_none_that_did_not_come_in_and_padding_last(part: BatchPostprocessor) -> None:
    after = run(part, ranking_of(EVERY))
    for row, came_in in zip(after.nodes.tolist(), EVERY, strict=True):
        found = [node for node in row if node >= 0]
        assert len(set(found)) == len(found)
        assert set(found) <= set(came_in)
        assert row[: len(found)] == found
        assert bool(found) == bool(came_in)


def test_scores_and_parts_stay_with_their_node(part: BatchPostprocessor) -> None:
    before = ranking_of(EVERY)
    after = run(part, before)
    for name in PARTS:
        for place, row in enumerate(after.nodes.tolist()):
            for column, node in enumerate(row):
                old = before.nodes[place].tolist().index(node) if node >= 0 else None
                expected = np.nan if old is None else before.parts[name][place, old]
                np.testing.assert_equal(after.parts[name][place, column], expected)


def test_the_input_is_not_changed(part: BatchPostprocessor) -> None:
    before = ranking_of(EVERY)
    tables = [before.nodes, before.scores, *before.parts.values()]
    copies = [table.copy() for table in tables]
    for table in tables:
        table.flags.writeable = False
    run(part, before)
    for table, copy in zip(tables, copies, strict=True):
        np.testing.assert_array_equal(table, copy)


def test_running_it_again_gives_the_same_bits(part: BatchPostprocessor) -> None:
    assert_same(run(part, ranking_of(EVERY)), run(part, ranking_of(EVERY)))


def test_many_queries_give_what_each_gives_alone(part: BatchPostprocessor) -> None:
    together = run(part, ranking_of(EVERY))
    for place, row in enumerate(EVERY):
        alone = run(part, ranking_of([row]), [QUERIES[place]])
        assert together.ids(place) == alone.ids(0)


@pytest.mark.parametrize("scores", [np.nan, 0.5, -1.0, 0.0])
def test_missing_and_tied_scores_lose_nothing(part: BatchPostprocessor, scores: float) -> None:
    after = run(part, ranking_of(EVERY, np.full((4, 12), scores)))
    assert after.lengths().tolist()[3] == 0
    assert (after.lengths()[:3] > 0).all()


def test_missing_tied_and_falling_scores_give_one_order(part: BatchPostprocessor) -> None:
    if part.role in {"rerank", "fuse"}:
        pytest.skip("it ranks by scores of its own")
    falling = run(part, ranking_of(EVERY, np.tile(np.linspace(2.0, 1.0, 12), (4, 1))))
    for scores in (np.nan, 0.5):
        assert_same_nodes(run(part, ranking_of(EVERY, np.full((4, 12), scores))), falling)


@pytest.mark.parametrize("rows", [[], [[]], [[], [], []]])
def test_nothing_in_nothing_out(part: BatchPostprocessor, rows: list[list[int]]) -> None:
    after = run(part, ranking_of(rows), QUERIES[: len(rows)])
    assert after.lengths().tolist() == [0] * len(rows)
    assert after.query_ids == tuple(map(str, range(len(rows))))


@pytest.mark.parametrize("text", ["", " \n", "!?", "123", "\ud800물\0불", "😀" * 50, "가" * 3000])
def test_one_document_of_any_text_stays(part: BatchPostprocessor, text: str) -> None:
    after = run(part, ranking_of([[0]], texts=1), ["물"], [text])
    assert after.ids(0) == ["d0"]


@pytest.mark.parametrize("query", ["", "of the and", "!?", "\ud800\0", "물 " * 2000, "{query} {0}"])
def test_no_query_breaks_it(part: BatchPostprocessor, query: str) -> None:
    assert run(part, ranking_of([EVERY[0]]), [query]).ids(0)


def test_a_decomposed_spelling_ranks_like_the_composed_one(part: BatchPostprocessor) -> None:
    decomposed = [unicodedata.normalize("NFD", text) for text in TEXTS]
    queries = [unicodedata.normalize("NFD", query) for query in QUERIES]
    expected = run(part, ranking_of(EVERY))
    np.testing.assert_array_equal(
        run(part, ranking_of(EVERY), queries, TEXTS).nodes, expected.nodes
    )
    np.testing.assert_array_equal(
        run(part, ranking_of(EVERY), queries, decomposed).nodes, expected.nodes
    )


def test_it_is_a_llama_index_postprocessor(part: BatchPostprocessor) -> None:
    if part.role == "fuse":
        pytest.skip("it weighs parts, which LlamaIndex's nodes do not have")
    found = [
        NodeWithScore(node=node, score=None if place % 3 else 1.0)
        for place, node in enumerate(nodes_of(TEXTS))
    ]
    before = list(found)
    sync = part.postprocess_nodes(found, query_str="빛")
    again = asyncio.run(part.apostprocess_nodes(found, query_str="빛"))
    assert found == before
    assert [one.node.node_id for one in sync] == [one.node.node_id for one in again]
    assert {one.node.node_id for one in sync} <= {node.node_id for node in nodes_of(TEXTS)}
    assert part.postprocess_nodes([], query_str="빛") == []
