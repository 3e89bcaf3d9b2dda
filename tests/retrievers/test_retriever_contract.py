"""What every retriever in conf/retriever promises, whichever it is."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from llama_index.core.schema import TextNode

from retrievers.base import BatchRetriever
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking

CONF = Path(__file__).parents[2] / "conf"
PRESETS = sorted(path.stem for path in (CONF / "retriever").glob("*.yaml"))

TEXTS = [
    "물은 섭씨 100도에서 끓는다.",
    "서울은 대한민국의 수도이다.",
    "식물은 빛으로 포도당을 만든다.",
    "R is a language for statistics.",
    "C is a language for operating systems.",
    "식물은 빛으로 포도당을 만든다.",
    "Plants make glucose from light in a process called photosynthesis.",
    "",
    "The speed of light is about 300,000 km per second.",
]


@pytest.fixture(params=PRESETS)
def preset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def make(preset: str) -> BatchRetriever:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose(overrides=[f"+retriever={preset}", "+embedding=lsa"])
    return instantiate(config.retriever, _convert_="all")  # type: ignore[no-any-return]


def built(preset: str, texts: list[str], prefix: str = "d") -> BatchRetriever:
    retriever = make(preset)
    retriever.build(
        [TextNode(id_=f"{prefix}{place}", text=text) for place, text in enumerate(texts)]
    )
    return retriever


def ranked(retriever: BatchRetriever, *texts: str, depth: int = 5) -> Ranking:
    plans = [QueryPlan(str(place), {EVERY_PART: (text,)}) for place, text in enumerate(texts)]
    return retriever.retrieve_many(plans, depth)


def assert_same(one: Ranking, other: Ranking) -> None:
    np.testing.assert_array_equal(one.nodes, other.nodes)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_results_stand_best_first_once_each_and_no_deeper_than_asked(preset: str) -> None:
    ranking = ranked(built(preset, TEXTS), "빛과 식물", "light language", depth=3)
    assert ranking.depth <= 3
    for row in range(2):
        ids, scores = ranking.ids(row), ranking.scores[row][ranking.nodes[row] >= 0]
        assert ids
        assert len(set(ids)) == len(ids)
        assert (np.diff(scores) <= 0).all()


def test_many_queries_give_what_each_gives_alone(preset: str) -> None:
    retriever = built(preset, TEXTS)
    queries = ["빛과 식물", "", "light language", "zzz", "물"]
    together = ranked(retriever, *queries)
    for row, query in enumerate(queries):
        alone = ranked(retriever, query)
        assert together.ids(row) == alone.ids(0)
        kept = len(alone.ids(0))
        np.testing.assert_array_equal(together.scores[row, :kept], alone.scores[0, :kept])


def test_a_depth_beyond_the_corpus_returns_every_hit(preset: str) -> None:
    retriever = built(preset, TEXTS)
    assert (
        ranked(retriever, "light", depth=1000).ids(0)[:5] == ranked(retriever, "light").ids(0)[:5]
    )


def test_one_document_is_found(preset: str) -> None:
    assert ranked(built(preset, ["식물은 빛으로 자란다"]), "빛").ids(0) == ["d0"]


@pytest.mark.parametrize("texts", [[], [""], ["", " \n"], ["...", "!?"]])
def test_a_corpus_without_words_has_no_results(preset: str, texts: list[str]) -> None:
    assert ranked(built(preset, texts), "빛", "light").lengths().tolist() == [0, 0]


@pytest.mark.parametrize("query", ["", "  \n", "\0"])
def test_an_empty_query_has_no_results(preset: str, query: str) -> None:
    assert ranked(built(preset, TEXTS), query).ids(0) == []


@pytest.mark.parametrize("query", ["of the and", "은 는 이 가", "what is the 은"])
def test_a_query_of_stop_words_alone_matches_no_word(preset: str, query: str) -> None:
    retriever = built(preset, TEXTS)
    ranking = ranked(retriever, query, depth=20)
    ids, scores = ranking.ids(0), ranking.scores[0][ranking.nodes[0] >= 0]
    assert len(set(ids)) == len(ids)
    assert np.isfinite(scores).all()
    assert (np.diff(scores) <= 0).all()
    for leaf in retriever.leaves().values():
        assert not leaf.lexical or ranked(leaf, query).ids(0) == []


def test_a_blank_document_is_no_result(preset: str) -> None:
    assert "d7" not in ranked(built(preset, TEXTS), "light 빛", depth=20).ids(0)


def test_no_queries_give_an_empty_ranking(preset: str) -> None:
    assert ranked(built(preset, TEXTS)).query_ids == ()


@pytest.mark.parametrize(
    ("query", "best"), [("물", "d0"), ("서울", "d1"), ("R", "d3"), ("C", "d4")]
)
def test_one_letter_and_a_bare_noun_find_their_document(preset: str, query: str, best: str) -> None:
    assert ranked(built(preset, TEXTS), query).ids(0)[0] == best


def test_a_decomposed_spelling_equals_the_composed_one(preset: str) -> None:
    decomposed = [unicodedata.normalize("NFD", text) for text in TEXTS]
    query = "서울의 식물"
    expected = ranked(built(preset, TEXTS), query)
    assert_same(ranked(built(preset, decomposed), query), expected)
    assert_same(ranked(built(preset, TEXTS), unicodedata.normalize("NFD", query)), expected)


def test_equal_documents_stand_in_corpus_order(preset: str) -> None:
    ranking = ranked(built(preset, ["나무", *["빛과 그림자"] * 40]), "빛", depth=30)
    assert ranking.nodes[0].tolist() == list(range(1, 31))
    assert len(set(ranking.scores[0])) == 1


def test_renaming_documents_changes_nothing(preset: str) -> None:
    queries = ["빛과 식물", "light language"]
    assert_same(
        ranked(built(preset, TEXTS, "d"), *queries), ranked(built(preset, TEXTS, "z"), *queries)
    )


def test_building_twice_gives_the_same_bits(preset: str) -> None:
    assert_same(
        ranked(built(preset, TEXTS), "빛과 light"), ranked(built(preset, TEXTS), "빛과 light")
    )


def test_a_saved_index_ranks_like_the_one_that_was_built(preset: str, tmp_path: Path) -> None:
    first = built(preset, TEXTS)
    first.save(tmp_path)
    again = make(preset)
    again.load(tmp_path)
    again.attach([TextNode(id_=name, text="") for name in first.node_ids])
    assert_same(ranked(again, "빛과 식물", "light", ""), ranked(first, "빛과 식물", "light", ""))


def test_leaves_stored_apart_combine_to_the_same_ranking(preset: str) -> None:
    retriever = built(preset, TEXTS)
    plans = [QueryPlan("q", {EVERY_PART: ("빛과 light",)})]
    wanted = retriever.candidate_depth(4)
    found = {n: leaf.retrieve_many(plans, wanted) for n, leaf in retriever.leaves().items()}
    combined = retriever.combine(plans, found, 4)
    assert_same(combined, retriever.retrieve_many(plans, 4))
    assert set(combined.parts) == set(retriever.leaves())


def test_it_is_a_llama_index_retriever(preset: str) -> None:
    nodes = built(preset, TEXTS).retrieve("서울")
    assert nodes[0].node.node_id == "d1"
    assert nodes[0].score is not None


def test_it_says_that_it_has_to_be_built_first(preset: str) -> None:
    with pytest.raises(ValueError, match=r"has no passages yet: call build\(nodes\)"):
        make(preset).retrieve("서울")


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_refused(preset: str, depth: int) -> None:
    retriever = built(preset, TEXTS)
    with pytest.raises(ValueError, match=f"asked for {depth} results"):
        ranked(retriever, "서울", depth=depth)
    retriever.similarity_top_k = depth
    with pytest.raises(ValueError, match="similarity_top_k"):
        retriever.retrieve("서울")


def test_it_builds_from_any_iterable_of_nodes(preset: str) -> None:
    retriever = make(preset)
    retriever.build(TextNode(id_=f"d{place}", text=text) for place, text in enumerate(TEXTS))
    assert_same(ranked(retriever, "서울"), ranked(built(preset, TEXTS), "서울"))


def test_nodes_of_one_id_are_refused(preset: str) -> None:
    with pytest.raises(ValueError, match='Nodes number 1 and 2 both have the id "x"'):
        make(preset).build([TextNode(id_="x", text="물"), TextNode(id_="x", text="불")])


def test_given_candidates_score_as_in_the_ranking(preset: str) -> None:
    for leaf in built(preset, TEXTS).leaves().values():
        rows, scores = leaf.search(["빛과 식물", "light"], 4)
        np.testing.assert_array_equal(leaf.score(["빛과 식물", "light"], rows), scores)
        blank = leaf.score([""], np.arange(4, dtype=np.int32)[None])
        assert blank.shape == (1, 4)
        assert not (blank > 0).any()


@pytest.mark.parametrize("text", ["\ud800물\0불", "😀" * 50, "가" * 1000, "a" * 100_000, "\u2028"])
def test_no_text_breaks_it(preset: str, text: str) -> None:
    ranked(built(preset, [text, "물"]), text, "물")


def test_a_query_that_nothing_matches_has_no_results(preset: str) -> None:
    assert ranked(built(preset, TEXTS), "zzz").ids(0) == []
