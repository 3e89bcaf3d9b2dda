"""Questions in a prompt are found in any form; ordinary settings are not taken for them."""

import unicodedata

import pytest

from experiments.cautions.leaked_questions import leaked_questions
from experiments.schema import Query, Turn

KOREAN = "광합성이 일어나는 동안 엽록체 안에서 물 분자는 어떻게 분해되는가?"
ENGLISH = "Why does the moon always show the same face to the earth?"
QUERIES = [Query("eval-001", KOREAN), Query("eval-002", ENGLISH), Query("7", "물?")]


def pipeline(prompt):
    return {"query": {"class": "x.HyDE", "source": "eval-001", "arguments": {"prompt": prompt}}}


@pytest.mark.parametrize(
    "prompt",
    [
        f"Example: {KOREAN}",
        unicodedata.normalize("NFD", f"예: {KOREAN}"),
        KOREAN.replace(" ", "\n"),
        ENGLISH.upper(),
        "… the moon always show the same face to …",
    ],
)
def test_a_question_in_a_prompt_is_found(prompt):
    (said,) = leaked_questions(QUERIES, pipeline(prompt))
    assert said.startswith("The option query.prompt holds words of 1 evaluation question (such as")


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "?!",
        "Answer the question with one paragraph of an encyclopedia, in its own language.",
        "the moon always show the same face",
        "물은 어떻게 분해되는가",
        "a prompt with 7 words and eval-0012",
        "\ud83d 🐳" * 20,
    ],
)
def test_an_ordinary_prompt_is_not(prompt):
    assert leaked_questions(QUERIES, pipeline(prompt)) == ()


def test_earlier_turns_of_the_user_count_and_those_of_the_assistant_do_not():
    def asked(role):
        return [Query("a", "그건 왜?", history=(Turn(role, KOREAN),))]

    assert leaked_questions(asked("user"), pipeline(KOREAN))
    assert not leaked_questions(asked("assistant"), pipeline(KOREAN))


def test_a_long_id_counts_alone_and_short_ones_together():
    (said,) = leaked_questions(QUERIES, {"skip": ["eval-001"]})
    assert 'The option skip names 1 evaluation question (such as "eval-001") by id' in said
    short = [Query(str(n), "물?") for n in range(10, 20)]
    assert not leaked_questions(short, {"rule": "use 10 or 11 words"})
    assert leaked_questions(short, {"rule": "when id in 10, 11, 12: no retrieval"})


def test_the_texts_of_a_list_are_read_together():
    short = [Query(str(n), "물?") for n in range(10, 20)]
    assert leaked_questions(short, {"skip": ["10", "11", "12"]})
