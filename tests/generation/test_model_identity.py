"""What tells one model from another, and that no secret does."""

from __future__ import annotations

import json

import pytest

from generation.model_identity import describe_model, line_of, name_of, without_secrets
from tests.generation.stub_llm import StubLLM

openai_like = pytest.importorskip("llama_index.llms.openai_like")
FIELDS = {"model": "m", "api_base": "http://here/v1", "api_key": "k-123456", "is_chat_model": True}


def described(**changes: object) -> str:
    return json.dumps(describe_model(openai_like.OpenAILike(**{**FIELDS, **changes})))


@pytest.mark.parametrize(
    "change",
    [
        {"api_key": "k-654321"},
        {"timeout": 5.0},
        {"max_retries": 9},
        {"reuse_client": False},
        {"default_headers": {"Authorization": "Bearer k-123456"}},
        {"additional_kwargs": {"extra_headers": {"x-key": "k-123456"}}},
        {"api_base": "http://user:k-123456@here/v1"},
    ],
)
def test_keys_and_ways_of_calling_change_nothing(change) -> None:
    plain = described(additional_kwargs={}) if "additional_kwargs" in change else described()
    assert described(**change) == plain
    assert "123456" not in plain


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"temperature": 0.7},
        {"max_tokens": 9},
        {"api_base": "http://there/v1"},
        {"is_chat_model": False},
        {"additional_kwargs": {"seed": 1}},
        {"reasoning_effort": "low"},
    ],
)
def test_all_that_can_change_an_answer_is_in_it(change) -> None:
    assert described(**change) != described()


def test_another_class_is_another_model() -> None:
    class Other(StubLLM):
        """The same fields."""

    assert describe_model(Other()) != describe_model(StubLLM())
    assert line_of(Other()) != line_of(StubLLM())


def test_a_model_without_a_name_goes_by_its_class() -> None:
    assert name_of(StubLLM(model="unknown")) == "StubLLM"


@pytest.mark.parametrize(
    "said",
    ["key k-123456 is wrong", "Bearer k-123456", "sk-proj-abc***xyz12 is wrong", "hf_abcdefghijk"],
)
def test_keys_are_taken_out_of_messages(said) -> None:
    clean = without_secrets(openai_like.OpenAILike(**FIELDS), said)
    assert "123456" not in clean
    assert "abc" not in clean
