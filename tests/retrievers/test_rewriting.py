"""Queries that a model rewrites: what it is asked, who reads the answer, what a failure leaves."""

from __future__ import annotations

import pytest
from llama_index.core.schema import TextNode

from experiments.identity import describe
from experiments.schema import Query, Turn
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.fusion import Hybrid
from retrievers.language import is_korean, same_language
from retrievers.queries import LastTurn
from retrievers.ranking import EVERY_PART
from retrievers.rewriting import Decompose, Hyde, MultiQuery, Standalone
from tests.retrievers.stub_llm import LayerLLM, PlainLLM

TALK = Query("talk", "Why?", (Turn("user", "Is water wet?"), Turn("assistant", "Yes.")))
ALONE = Query("alone", "What is light?")
KOREAN = Query(
    "korean", "왜 그런가요?", (Turn("user", "하늘은 파란가요?"), Turn("assistant", "네"))
)
RAW = {"talk": "Is water wet?\nWhy?", "alone": "What is light?"}
EXPANSIONS = [Hyde, MultiQuery, Decompose]
MODELS = [PlainLLM, LayerLLM]


def texts_of(part, *queries, name=EVERY_PART):
    return [plan.texts[name] for plan in part.plan(queries)]


def failing(prompt: str) -> str:
    if "light" in prompt:
        raise TimeoutError
    return "about water"


@pytest.mark.parametrize("model", MODELS)
def test_a_conversation_becomes_one_question_and_a_single_message_costs_no_call(model) -> None:
    llm = model(lambda _: 'Question: "Why is water wet?"\n')
    assert texts_of(Standalone(llm), TALK, ALONE) == [("Why is water wet?",), ("What is light?",)]
    assert len(llm.asked) == 1
    for said in ("Is water wet?", "Yes.", "Why?"):
        assert said in llm.asked[0]


def test_the_prompt_is_in_the_language_of_the_message() -> None:
    llm = LayerLLM(
        lambda prompt: "하늘은 왜 파란가요?" if "대화" in prompt else "Why is water wet?"
    )
    part = Standalone(llm)
    assert texts_of(part, TALK, KOREAN) == [("Why is water wet?",), ("하늘은 왜 파란가요?",)]
    assert [is_korean(prompt) for prompt in llm.asked] == [False, True]
    assert not part.notes


def test_a_long_english_turn_does_not_make_a_korean_question_english() -> None:
    history = (Turn("user", "하늘은 파란가요?"), Turn("assistant", "Yes, it scatters light. " * 30))
    llm = LayerLLM(lambda _: "하늘은 왜 파란가요?")
    part = Standalone(llm)
    assert texts_of(part, Query("q", "왜 그런가요?", history)) == [("하늘은 왜 파란가요?",)]
    assert is_korean(llm.asked[0].split("\n")[0])
    assert not part.notes


@pytest.mark.parametrize("model", MODELS)
def test_an_answer_in_the_wrong_language_is_no_answer(model) -> None:
    part = Standalone(model(lambda _: "Why is the sky blue?"))
    assert texts_of(part, KOREAN) == [("하늘은 파란가요?\n왜 그런가요?",)]
    assert "1 of 1 answers cannot be used (1: it has no Korean in it)" in part.notes[0]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("make", EXPANSIONS)
def test_a_failed_call_searches_the_querys_own_words_and_is_said(model, make) -> None:
    part = make(model(failing))
    water, light = texts_of(part, TALK, ALONE)
    assert water == (RAW["talk"], "about water")
    assert light == (RAW["alone"],)
    assert "1 of 2 answers cannot be used" in part.notes[0]


@pytest.mark.parametrize("make", [*EXPANSIONS, Standalone])
@pytest.mark.parametrize("said", ["", "  \n ", '""', "Question:", "a" * 5000])
def test_an_answer_without_a_usable_text_leaves_the_query_as_it_is_and_is_counted(make, said):
    part = make(LayerLLM(lambda _: said))
    assert texts_of(part, TALK) == [(RAW["talk"],)]
    assert "1 of 1 answers cannot be used" in part.notes[0]


@pytest.mark.parametrize("make", [MultiQuery, Decompose])
def test_a_heading_alone_is_no_query(make) -> None:
    part = make(LayerLLM(lambda _: "Here they are:\n"), keep_query=False)
    assert texts_of(part, TALK) == [(RAW["talk"],)]
    assert "it holds no text" in part.notes[0]


def test_the_notes_are_those_of_the_last_plan() -> None:
    part = Hyde(LayerLLM(failing))
    part.plan([ALONE])
    part.plan([TALK])
    assert part.notes == ()


def test_hyde_searches_a_passage_beside_the_query_or_alone() -> None:
    llm = LayerLLM(lambda _: "Passage: Light is a wave.\nIt is fast.")
    passage = "Light is a wave.\nIt is fast."
    assert texts_of(Hyde(llm), ALONE) == [("What is light?", passage)]
    assert texts_of(Hyde(llm, keep_query=False), ALONE) == [(passage,)]


@pytest.mark.parametrize("make", [MultiQuery, Decompose])
def test_lines_become_queries_without_what_models_put_around_them(make) -> None:
    said = 'Here are the queries:\n1. what light is\n2) "nature of light"\n- What is light?\n* more'
    part = make(LayerLLM(lambda _: said), count=3)
    assert texts_of(part, ALONE) == [("What is light?", "what light is", "nature of light")]
    alone = make(LayerLLM(lambda _: said), count=2, keep_query=False)
    assert texts_of(alone, ALONE) == [("what light is", "nature of light")]


@pytest.mark.parametrize("make", EXPANSIONS)
def test_only_the_parts_that_are_fed_read_the_answer(make) -> None:
    part = make(LayerLLM(lambda _: "a wave"), feeds=["dense"], keep_query=False)
    (plan,) = part.plan([ALONE])
    assert plan.for_part("dense").texts[EVERY_PART] == ("a wave",)
    assert plan.for_part("bm25").texts[EVERY_PART] == ("What is light?",)
    assert plan.texts[EVERY_PART] == ("What is light?",)


def test_rewriters_follow_each_other() -> None:
    llm = LayerLLM(lambda prompt: "Why is water wet?" if "turn" in prompt else "It has bonds.")
    part = Hyde(llm, of=Standalone(llm, of=LastTurn()), feeds=["dense"])
    (plan,) = part.plan([TALK])
    assert plan.texts == {
        EVERY_PART: ("Why is water wet?",),
        "dense": ("Why is water wet?", "It has bonds."),
    }
    assert [stage for stage, _, _ in llm.stages] == ["standalone", "hyde"]


def test_several_texts_find_what_one_of_them_finds() -> None:
    retriever = Hybrid({"bm25": BM25Retriever(), "characters": CharTfidfRetriever()})
    texts = ["photons travel in waves", "a lamp shines", "stones are heavy"]
    retriever.build([TextNode(text=text, id_=str(row)) for row, text in enumerate(texts)])
    plain = LastTurn().plan([Query("q", "lamp")])
    fed = MultiQuery(LayerLLM(lambda _: "photons"), of=LastTurn(), feeds=["bm25"])
    assert retriever.retrieve_many(plain, 3).ids(0)[0] == "1"
    assert {"0", "1"} <= set(retriever.retrieve_many(fed.plan([Query("q", "lamp")]), 3).ids(0))


def test_no_query_is_no_call() -> None:
    llm = LayerLLM(failing)
    assert Hyde(llm).plan([]) == []
    assert not llm.asked


@pytest.mark.parametrize("text", ["", "?!", "42", "하늘", "🙂", "\ud800"])
def test_any_message_can_be_asked_about(text) -> None:
    said = "하늘은 왜 파란가요?" if is_korean(text) else "what it is"
    (texts,) = texts_of(Hyde(LayerLLM(lambda _: said)), Query("q", text))
    assert texts == (text, said)


def test_braces_in_a_message_stay_as_they_are() -> None:
    llm = LayerLLM(lambda _: "a set")
    Hyde(llm).plan([Query("q", "What is {x} or {count}?")])
    assert "What is {x} or {count}?" in llm.asked[0]


def test_every_option_is_part_of_what_a_trial_is_kept_under() -> None:
    llm = LayerLLM(failing)
    parts = [
        MultiQuery(llm),
        MultiQuery(llm, count=2),
        MultiQuery(llm, feeds=["dense"]),
        MultiQuery(llm, keep_query=False),
        MultiQuery(llm, of=LastTurn()),
        Decompose(llm),
    ]
    described = [describe(part) for part in parts]
    assert all(described.count(one) == 1 for one in described)


def test_a_missing_model_and_an_impossible_count_are_refused() -> None:
    for make in (*EXPANSIONS, Standalone):
        with pytest.raises(ValueError, match="add llm="):
            make(None)
    with pytest.raises(ValueError, match="1 or more"):
        MultiQuery(LayerLLM(failing), count=0)


@pytest.mark.parametrize(
    ("prompt", "answer", "right"),
    [
        ("물은 왜 젖나요", "물의 성질", True),
        ("물은 왜 젖나요", "DNA 중합효소", True),
        ("물은 왜 젖나요", "water", False),
        ("why", "because", True),
        ("why", "왜냐하면", False),
        ("why", "42", True),
        ("なぜ", "水", True),
        ("물".encode().decode(), "\u1106\u116e\u11af", True),
    ],
)
def test_the_language_of_an_answer(prompt, answer, right) -> None:
    assert (same_language(prompt, answer) == "") is right
