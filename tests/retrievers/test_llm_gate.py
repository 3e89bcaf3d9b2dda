"""A gate that asks a model: it blocks on a clear word and on nothing else."""

from __future__ import annotations

import pytest
from llama_index.core.schema import TextNode

from retrievers.bm25 import BM25Retriever
from retrievers.gate import GateDecision
from retrievers.llm_gate import LLMGate
from retrievers.ranking import EVERY_PART, QueryPlan
from tests.retrievers.stub_llm import LayerLLM, PlainLLM


def decide(llm, *messages) -> GateDecision:
    retriever = BM25Retriever()
    retriever.build([TextNode(text="water is wet", id_="0")])
    plans = [QueryPlan(str(row), {EVERY_PART: (text,)}) for row, text in enumerate(messages)]
    return LLMGate(llm).decide(plans, retriever.retrieve_many(plans, 1), retriever)


@pytest.mark.parametrize("model", [PlainLLM, LayerLLM])
def test_what_the_model_calls_chat_is_blocked_with_a_reason(model) -> None:
    llm = model(lambda prompt: "CHAT" if "hello" in prompt else "SEARCH")
    decision = decide(llm, "hello", "water")
    assert decision.blocked.tolist() == [True, False]
    assert decision.reasons == ("the model takes it for chat", "")
    assert decision.note == ""


@pytest.mark.parametrize("model", [PlainLLM, LayerLLM])
def test_neither_a_failed_call_nor_an_unreadable_answer_blocks(model) -> None:
    def answer(prompt: str) -> str:
        if "fail" in prompt:
            raise TimeoutError
        return "" if "empty" in prompt else "This is not chat."

    decision = decide(model(answer), "fail", "empty", "prose")
    assert not decision.blocked.any()
    assert decision.reasons == ("", "", "")
    assert "3 of 3 messages got no verdict (2 without an answer, 1 unreadable)" in decision.note


def test_a_korean_message_is_asked_about_in_korean() -> None:
    llm = LayerLLM(lambda prompt: "잡담" if "메시지" in prompt else "SEARCH")
    assert decide(llm, "안녕하세요", "hello").blocked.tolist() == [True, False]
    assert llm.stages == [("gate", "1", 2)]


def test_the_query_is_asked_about_and_not_what_a_model_made_of_it() -> None:
    llm = LayerLLM(lambda _: "SEARCH")
    plans = [QueryPlan("q", {EVERY_PART: ("what is water", "an invented passage")})]
    retriever = BM25Retriever()
    retriever.build([TextNode(text="water is wet", id_="0")])
    LLMGate(llm).decide(plans, retriever.retrieve_many(plans, 1), retriever)
    assert "what is water" in llm.asked[0]
    assert "invented" not in llm.asked[0]


def test_no_message_is_no_verdict() -> None:
    assert decide(LayerLLM(lambda _: "CHAT")).blocked.tolist() == []


def test_a_gate_without_a_model_says_what_to_choose() -> None:
    with pytest.raises(ValueError, match="gate=score"):
        LLMGate(None)
