"""What is sent to a model, and what of its answer a part gets to read."""

import pytest

from retrievers.asking import ask, without_thoughts
from tests.retrievers.stub_llm import LayerLLM, PlainLLM

MODELS = pytest.mark.parametrize("make", [PlainLLM, LayerLLM])


def asked(llm, *prompts, check=None):
    return ask(llm, prompts, stage="stage", version="1", check=check)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("2, 1", "2, 1"),
        ("<think>[1] is no good.</think>\n2, 1", "\n2, 1"),
        ("[1] is no good, said the template's own tag.</think>2, 1", "2, 1"),
        ("<Thinking>[1]</Thinking>2<think>3</think>1", "1"),
        ("<think>[1] is no good, and", ""),
        ("2, 1 <think>[3]", "2, 1 "),
    ],
)
def test_what_a_model_thinks_aloud_is_not_what_it_says(answer, said):
    assert without_thoughts(answer) == said


@MODELS
def test_a_part_reads_and_checks_what_stands_behind_the_thoughts(make):
    llm = make(lambda prompt: f"<think>hm, {prompt}?</think> {prompt.upper()}")
    assert asked(llm, "a", "b", check=lambda _, said: "no" * ("hm" in said))[0] == ["A", "B"]


@MODELS
def test_an_answer_of_thoughts_alone_is_none_and_counted(make):
    texts, missing = asked(make(lambda _: "<think>for ever"), "a")
    assert texts == [None]
    assert missing == {"it is empty": 1}


@MODELS
def test_what_no_server_can_take_is_sent_as_blanks(make):
    llm = make(lambda _: "x")
    asked(llm, "\ud800물\0불")
    assert llm.asked == [" 물 불"]
