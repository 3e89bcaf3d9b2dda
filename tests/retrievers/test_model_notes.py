"""What a model is asked for a note, in which order, and what becomes of its answer."""

from __future__ import annotations

import pytest

from retrievers.contextual import Excerpt
from retrievers.model_notes import ModelNotes
from tests.retrievers.stub_llm import LayerLLM

ENGLISH = "The river rises in May. {It} floods the fields. It ends in the sea."
KOREAN = "강은 오월에 불어난다. 밭에 넘친다. 바다에서 끝난다."


def excerpts(document: str, title: str = "") -> list[Excerpt]:
    parts = [part + "." for part in document.split(".")[:-1]]
    starts = [document.index(part) for part in parts]
    return [
        Excerpt(title, document, part, start, place, len(parts))
        for place, (part, start) in enumerate(zip(parts, starts, strict=True), 1)
    ]


def test_a_document_is_read_in_one_go_and_its_prompts_begin_alike() -> None:
    llm = LayerLLM(lambda prompt: f"note {len(prompt)}")
    ModelNotes(llm).write([*excerpts(ENGLISH, "Nile"), *excerpts("One. Two.")])
    assert llm.stages == [("enrich", "1", 5)]
    river, other = llm.asked[:3], llm.asked[3:]
    assert len(set(llm.asked)) == 5
    shared = river[0][: river[0].index("This is part")]
    assert all(prompt.startswith(shared) for prompt in river)
    assert ENGLISH in shared
    assert "Nile" in shared
    assert not any(ENGLISH in prompt for prompt in other)
    assert [prompt.count("{It} floods the fields.") for prompt in river] == [1, 2, 1]


def test_a_korean_document_gets_a_korean_prompt_and_must_get_a_korean_note() -> None:
    llm = LayerLLM(lambda prompt: "in English" if "3번째" in prompt else "맥락: 강의\n 홍수")
    assert ModelNotes(llm).write(excerpts(KOREAN, "나일강")) == ["강의 홍수", "강의 홍수", None]
    assert all("제목: 나일강" in prompt for prompt in llm.asked)
    assert ModelNotes(LayerLLM(lambda _: "한국어")).write(excerpts(ENGLISH)) == [None] * 3


@pytest.mark.parametrize("answer", ["", "  \n"])
def test_an_empty_answer_is_no_note(answer: str) -> None:
    assert ModelNotes(LayerLLM(lambda _: answer)).write(excerpts(ENGLISH)) == [None] * 3


def test_a_long_document_is_shown_in_stretches_of_whole_chunks() -> None:
    llm = LayerLLM(lambda prompt: "note")
    ModelNotes(llm, document_tokens=15).write(excerpts(ENGLISH))
    shown = [prompt.split("<document>\n")[1].split("\n</document>")[0] for prompt in llm.asked]
    assert shown == [ENGLISH.rpartition(" It")[0]] * 2 + ["It ends in the sea."]


def test_no_model_and_no_room_are_mistakes() -> None:
    with pytest.raises(ValueError, match="add llm="):
        ModelNotes(None)
    with pytest.raises(ValueError, match="document_tokens=0"):
        ModelNotes(LayerLLM(str), document_tokens=0)
