"""What is left out is what should be, and the notes count it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import TextNode

from postprocessors.metadata_filter import MetadataFilter
from postprocessors.near_duplicates import NearDuplicates
from postprocessors.score_cutoff import ScoreCutoff, above_share
from postprocessors.top_k import TopK
from tests.postprocessors.rankings import nodes_of, plans_of, ranking_of

NAN = np.nan


def cut(part, rows, scores):
    ranking = ranking_of(rows, np.array(scores, dtype=float))
    return part.postprocess_many(ranking, plans_of(["q"] * len(rows)), nodes_of([""] * 12))


def test_top_k_keeps_the_first():
    ranking = TopK(top_k=2).postprocess_many(ranking_of([[3, 1, 2], [5]]), (), ())
    assert ranking.by_query() == {"0": ["d3", "d1"], "1": ["d5"]}


def test_a_share_of_the_top_cuts_only_where_the_top_is_above_zero():
    part = ScoreCutoff(at_least=0.5, keep=0)
    after = cut(part, [[0, 1, 2], [0, 1, 2]], [[4.0, 2.0, 1.9], [-1.0, -2.0, -9.0]])
    assert after.by_query() == {"0": ["d0", "d1"], "1": ["d0", "d1", "d2"]}
    assert part.notes == ("score_cutoff left out 1 of 6 candidates.",)


def test_the_order_is_kept_where_scores_do_not_fall():
    after = cut(ScoreCutoff(at_least=2.0, measure="score", keep=0), [[7, 8, 9]], [[2.0, 1.0, 5.0]])
    assert after.ids(0) == ["d7", "d9"]


def test_the_best_ranked_and_the_unscored_stay():
    part = ScoreCutoff(at_least=9.0, measure="score", keep=1)
    assert cut(part, [[0, 1, 2]], [[1.0, 2.0, NAN]]).ids(0) == ["d0", "d2"]
    assert "1 had no score" in part.notes[0]


def test_a_part_can_be_cut_by_its_normalised_score():
    part = ScoreCutoff(at_least=0.5, measure="normalised", part="dense", keep=0)
    after = cut(part, [[0, 1, 2, 3]], [[100.0, 90.0, 70.0, 60.0]])
    assert after.ids(0) == ["d0", "d1"]
    with pytest.raises(ValueError, match="the ranking has dense, bm25"):
        cut(ScoreCutoff(part="rerank"), [[0]], [[1.0]])


@given(
    st.lists(st.floats(-5, 5) | st.just(NAN), min_size=1, max_size=8),
    st.floats(0, 1),
    st.floats(0.1, 10),
)
def test_a_share_does_not_depend_on_the_scale(scores, share, factor):
    table = np.array([scores])
    ours = above_share(table, share)
    top = max((score for score in scores if score == score), default=-1.0)
    assert [bool(flag) for flag in ours[0]] == [
        score == score and (top <= 0 or score >= share * top) for score in scores
    ]
    assert (above_share(table * 2.0 ** round(factor), share) == ours).all()


COPIES = [
    "식물은 빛으로 포도당과 산소를 만들어 낸다.",
    "식물은  빛으로\n포도당과 산소를 만들어 낸다.",
    "달은 지구를 한 달에 한 번 돈다.",
    "식물은 빛으로 포도당과 산소를 만들어 낸다!",
    "",
    "",
]


def test_of_near_copies_the_best_ranked_stays():
    part = NearDuplicates()
    ranking = ranking_of([[3, 2, 0, 1], [4, 5, 1, 0]])
    after = part.postprocess_many(ranking, plans_of(["q", "q"]), nodes_of(COPIES))
    assert after.by_query() == {"0": ["d3", "d2"], "1": ["d4", "d5", "d1"]}
    assert part.notes == ("near_duplicates left out 3 candidates.",)


@given(
    st.lists(st.text("ab ", max_size=9), min_size=1, max_size=7), st.sampled_from([0.3, 0.5, 1.0])
)
def test_near_copies_are_those_of_the_definition(texts, threshold):
    def runs(text):
        line = " ".join(text.split())
        return {line[i : i + 3] for i in range(max(1, len(line) - 2))} - {""}

    expected = []
    for place, text in enumerate(texts):
        own = runs(text)
        others = [runs(texts[one]) for one in expected]
        if not any(len(own & o) and len(own & o) / len(own | o) >= threshold for o in others):
            expected.append(place)
    part = NearDuplicates(threshold=threshold, shingle=3)
    ranking = ranking_of([[*range(len(texts))]])
    after = part.postprocess_many(ranking, plans_of(["q"]), nodes_of(texts))
    assert after.nodes[0].tolist() == expected


def with_metadata():
    marks = [{"src": "a", "year": 1}, {"src": "b"}, {"src": "c", "year": 2}, {}]
    return [TextNode(id_=f"d{i}", text="x", metadata=one) for i, one in enumerate(marks)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["d0", "d1", "d2", "d3"]),
        ({"keep": {"src": "a"}}, ["d0"]),
        ({"keep": {"src": ["a", "b"]}}, ["d0", "d1"]),
        ({"keep": {"src": ["a", "c"], "year": 2}}, ["d2"]),
        ({"drop": {"src": "a"}}, ["d1", "d2", "d3"]),
        ({"keep": {"year": 3}}, []),
    ],
)
def test_metadata_decide(options, expected):
    part = MetadataFilter(**options)
    after = part.postprocess_many(ranking_of([[0, 1, 2, 3]]), plans_of(["q"]), with_metadata())
    assert after.ids(0) == expected
    assert bool(part.notes) == (not expected)


def test_a_field_that_no_passage_has_is_a_mistake():
    with pytest.raises(ValueError, match="'scr', which no passage has: src, year"):
        MetadataFilter(keep={"scr": "a"}).postprocess_many(ranking_of([[0]]), (), with_metadata())
