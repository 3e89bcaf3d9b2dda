"""What a model is asked once: which answers are the same, and where they are found again."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate

from experiments.identity import describe
from experiments.store import Store
from tests.generation.fresh_models import prompts, stored, stub


def test_answers_come_in_the_order_asked_and_equal_prompts_are_sent_once() -> None:
    llm = stub(lambda prompt: time.sleep(0.01 * (prompt == "a")) or prompt.upper())
    model = stored(llm)
    answers = model.complete_many(["a", "b", "a", "c"])
    assert [answer.text for answer in answers] == ["A", "B", "A", "C"]
    assert sorted(llm.asked) == ["a", "b", "c"]


def test_no_prompt_is_no_call() -> None:
    assert stored().complete_many([]) == []


@pytest.mark.parametrize("prompt", ["", "   ", "\ud800 lone", "🙂", "각", "물 water 水"])
def test_any_text_is_a_prompt(tmp_path, prompt) -> None:
    llm = stub(lambda _: "x", usage=None)
    model = stored(llm, store=Store(tmp_path))
    assert model.complete_many([prompt])[0].text == "x"
    assert model.complete_many([prompt])[0].stored


def test_nothing_is_asked_twice_by_another_part_or_through_another_method(tmp_path) -> None:
    llm = stub()
    first = stored(llm, store=Store(tmp_path)).complete_many(["a", "b"])
    second = stored(llm, store=Store(tmp_path), budget_usd=0.0)
    again = second.complete_many(["b", "a"])
    assert [answer.text for answer in again] == [first[1].text, first[0].text]
    assert all(answer.stored for answer in again)
    assert second.complete("a").text == first[0].text
    assert len(llm.asked) == 2
    assert second.usage()["llm"].numbers()["stored"] == 3


@pytest.mark.parametrize("keeps", [True, False])
def test_what_is_under_way_is_waited_for_and_not_asked_again(tmp_path, keeps) -> None:
    llm = stub(lambda prompt: time.sleep(0.05) or f"{prompt} {time.monotonic()}")
    parts = [stored(llm, store=Store(tmp_path)) for _ in range(2)] if keeps else [stored(llm)] * 2
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda part: part.complete_many(prompts(12)), parts)
    assert sorted(llm.asked) == sorted(prompts(12))
    assert [answer.text for answer in one] == [answer.text for answer in other]
    usage = sum(part.usage()["llm"].made for part in {id(one): one for one in parts}.values())
    assert usage == 12


@pytest.mark.parametrize(
    ("change", "asked_again"),
    [
        ({"temperature": 0.5}, True),
        ({"model": "another"}, True),
        ({"api_key": "other-key"}, False),
    ],
)
def test_an_answer_belongs_to_the_model_and_its_parameters(tmp_path, change, asked_again) -> None:
    store, fields = Store(tmp_path), {"model": "a model", "api_key": "a-key"}
    stored(stub(**fields), store=store).complete("a")
    llm = stub(**{**fields, **change})
    stored(llm, store=store).complete("a")
    assert bool(llm.asked) is asked_again


def test_another_version_of_the_prompt_asks_anew_and_another_stage_does_not(tmp_path) -> None:
    llm = stub()
    model = stored(llm, store=Store(tmp_path))
    model.complete_many(["a"], stage="one", version="1")
    model.complete_many(["a"], stage="two", version="1")
    assert len(llm.asked) == 1
    model.complete_many(["a"], stage="two", version="2")
    assert len(llm.asked) == 2
    assert model.usage()["two"].asked == 2


def test_a_message_of_another_role_is_another_prompt(tmp_path) -> None:
    llm = stub()
    model = stored(llm, store=Store(tmp_path))
    model.chat([ChatMessage(role="user", content="a")])
    model.chat([ChatMessage(role="system", content="a")])
    model.complete("a")
    assert len(llm.asked) == 3


def test_neither_the_key_nor_what_surrounds_a_call_identifies_a_part(tmp_path) -> None:
    plain = describe(stored(stub(model="one")))
    fields = {"api_key": "secret-key"}
    changed = stored(stub(model="one", **fields), store=Store(tmp_path), budget_usd=1.0)
    assert describe(changed) == plain
    assert "secret-key" not in str(describe(changed))


def test_the_methods_of_llama_index_answer_from_the_store_too(tmp_path) -> None:
    llm = stub()
    model = stored(llm, store=Store(tmp_path))
    text = model.complete("a").text
    assert "".join(piece.delta or "" for piece in model.stream_complete("a")) == text
    assert asyncio.run(model.acomplete("a")).text == text
    assert llm.asked == ["a"]
    said = model.chat([ChatMessage(content="hello")]).message.content
    assert asyncio.run(model.achat([ChatMessage(content="hello")])).message.content == said
    assert len(llm.asked) == 2
    filled = [model.predict(PromptTemplate("{it}"), it="a") for _ in range(2)]
    assert filled == [text, text]
    assert len(llm.asked) == 3  # a filled template is sent without the model's own frame
