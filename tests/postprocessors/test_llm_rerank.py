"""A model orders the best few; nothing it says can lose or invent a candidate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.lexical_llm import LexicalLLM
from postprocessors.llm_rerank import LLMRerank
from postprocessors.model_orders import read_mark
from tests.postprocessors.rankings import nodes_of, plans_of, ranking_of
from tests.retrievers.stub_llm import PlainLLM

TEXTS = [f"passage {place}" for place in range(12)]
ROW = [5, 4, 3, 2, 1, 0]


def reranked(part, rows, scores=None, query="which one?"):
    ranking = ranking_of(rows, scores)
    return part.postprocess_many(ranking, plans_of([query] * len(rows)), nodes_of(TEXTS))


def saying(answer, **options):
    model = PlainLLM(answer if callable(answer) else lambda prompt: answer)
    return LLMRerank(llm=model, floor=0.0, **options), model


def raising(prompt):
    raise TimeoutError


@pytest.mark.parametrize(
    ("answer", "expected", "said"),
    [
        ("3, 1, 2", [3, 5, 4, 2, 1, 0], "0 named too few"),
        ("[6]", [0, 5, 4, 3, 2, 1], "1 named too few"),
        ("2, 2, 99, 1", [4, 5, 3, 2, 1, 0], "1 unknown and 1 repeated"),
        ("I cannot say.", ROW, "1 keep the incoming one (0 calls failed, 1 answers unreadable)"),
        (raising, ROW, "1 keep the incoming one (1 calls failed, 0 answers unreadable)"),
        ("  ", ROW, "1 keep the incoming one (1 calls failed"),
    ],
)
def test_the_answer_is_repaired_from_the_incoming_order(answer, expected, said):
    part, _ = saying(answer)
    assert reranked(part, [ROW]).nodes[0].tolist() == expected
    assert said in part.notes[0]


@given(st.text(max_size=40) | st.lists(st.integers(-3, 20)).map(str))
def test_no_answer_loses_or_invents_a_candidate(answer):
    part, _ = saying(answer)
    assert sorted(reranked(part, [ROW]).nodes[0].tolist()) == sorted(ROW)


def test_only_the_first_are_shown_and_the_rest_stand_behind():
    part, model = saying("2", first=2)
    assert reranked(part, [ROW]).nodes[0].tolist() == [4, 5, 3, 2, 1, 0]
    assert "[2] passage 4" in model.asked[0]
    assert "passage 3" not in model.asked[0]


def test_what_scores_under_a_tenth_of_the_top_is_not_shown_but_three_always_are():
    model = PlainLLM(lambda prompt: "4")
    part = LLMRerank(llm=model)
    scores = np.array([[10.0, 0.5, 0.4, 1.0, 0.9, 0.3]])
    assert reranked(part, [ROW], scores).nodes[0].tolist() == [2, 5, 4, 3, 1, 0]
    assert part.notes[1] == "llm_rerank did not show 2 candidates below 10% of the top."


@pytest.mark.parametrize("top", [0.0, -1.0, np.nan])
def test_a_top_that_is_not_above_zero_cuts_nothing(top):
    model = PlainLLM(lambda prompt: "6")
    scores = np.array([[top, -2.0, -3.0, -4.0, -5.0, -6.0]])
    assert reranked(LLMRerank(llm=model), [ROW], scores).nodes[0].tolist() == [0, 5, 4, 3, 2, 1]


def test_the_prompt_is_in_the_language_of_the_query():
    part, model = saying("1")
    reranked(part, [ROW], query="물은 몇 도에서 끓나요?")
    reranked(part, [ROW], query="When does water boil?")
    assert "질문: 물은 몇 도에서 끓나요?" in model.asked[0]
    assert "Question: When does water boil?" in model.asked[1]


def test_one_candidate_or_none_asks_nothing():
    part, model = saying("1")
    reranked(part, [[3], []])
    assert model.asked == []


def test_marks_order_and_a_passage_without_one_keeps_its_place():
    marks = {"5": "7", "4": "no idea", "3": '{"score": 9}', "2": "8/10", "1": "11", "0": "0"}
    part, model = saying(lambda p: marks[p.split("Passage: passage ")[1][0]], ask="pointwise")
    assert reranked(part, [ROW]).nodes[0].tolist() == [3, 4, 2, 5, 1, 0]
    assert len(model.asked) == 6
    assert (
        "2 got no mark and keep their place (0 calls failed, 2 answers unreadable)" in part.notes[0]
    )


def test_equal_marks_keep_the_incoming_order():
    part, _ = saying('{"score": 5}', ask="pointwise")
    assert reranked(part, [ROW, [1, 0]]).nodes.tolist() == [ROW, [1, 0, -1, -1, -1, -1]]


@pytest.mark.parametrize(
    ("answer", "mark"),
    [
        ("8", 8.0),
        ("8점", 8.0),
        ("8/10", 8.0),
        ('```json\n{"score": 3}\n```', 3.0),
        ("between 3 and 5", None),
        ("-1 of 10 or so", None),
        ("", None),
        ("12", None),
    ],
)
def test_marks_are_read_or_refused(answer, mark):
    assert read_mark(answer) == mark


def test_without_a_model_it_says_which_to_choose():
    with pytest.raises(ValueError, match="add llm=openai_like"):
        LLMRerank(llm=None)


def test_the_stand_in_prefers_what_shares_words_and_else_keeps_the_order():
    part = LLMRerank(llm=LexicalLLM(trust=1.0), floor=0.0)
    nodes = nodes_of(["it boils", "water boils at 100 degrees", "a river", "some water"])
    plans = plans_of(["When does water boil?"])
    assert part.postprocess_many(ranking_of([[2, 1, 0, 3]]), plans, nodes).ids(0)[0] == "d1"
    plans = plans_of(["zzz"])
    assert part.postprocess_many(ranking_of([[2, 0, 1]]), plans, nodes).ids(0) == ["d2", "d0", "d1"]
