"""Answers against references: the published rules for English, particles aside for Korean."""

import re
import string
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.metrics.answers import METRICS, cited_numbers, read_words, score_answers
from experiments.metrics.refusals import refuses


def scores(answer, *references):
    return dict(zip(METRICS, score_answers(["q"], [answer], [references]).values[0], strict=True))


@pytest.mark.parametrize(
    ("answer", "reference", "exact", "f1", "subspan"),
    [
        ("The Eiffel Tower!", "eiffel tower", 1, 1, 1),
        ("It is the Eiffel Tower in Paris", "Eiffel Tower", 0, 0.5, 1),
        ("Rome", "Paris", 0, 0, 0),
        ("", "Paris", 0, 0, 0),
        ("서울은", "서울", 1, 1, 1),
        ("수도는 서울이다.", "서울", 0, 2 / 3, 1),
        ("서울", "서울은", 1, 1, 1),
        ("서울이 아니다", "서울", 0, 2 / 3, 1),
        ("대한민국서울입니다", "대한민국 서울", 1, 1, 1),
        (unicodedata.normalize("NFD", "서울은"), "서울", 1, 1, 1),
        ("3,000 m", "3000 m", 1, 1, 1),
        ("６０００", "6000", 1, 1, 1),
        ("이었다", "이다", 0, 0, 0),
        ("이다", "이다", 1, 1, 1),
    ],
)
def test_known_pairs(answer, reference, exact, f1, subspan):
    found = scores(answer, reference)
    assert [found[name] for name in METRICS] == pytest.approx([exact, f1, subspan])


def squad(text):
    """The published normalisation, written out."""
    text = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("the a Cat, cat's U.S. 12.5 (dog) end.".split()), max_size=8))
def test_english_is_normalised_as_published(words):
    text = " ".join(words)
    if squad(text):
        assert read_words([text])[0].text == squad(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_scores_lie_in_0_to_1_and_exact_means_full(answer, reference):
    found = scores(answer, reference)
    if np.isnan(found["token_f1"]):
        return
    assert all(0 <= value <= 1 for value in found.values())
    if found["exact_match"] and read_words([reference])[0].words:
        assert found["token_f1"] == 1


@pytest.mark.parametrize("text", ["서울", "Röntgen", "a", "!!!", "42", "😀", "서울 Tower 3"])
def test_an_answer_equal_to_its_reference_is_right(text):
    found = scores(text, text)
    assert found["exact_match"] == found["best_subspan"] == 1


def test_the_best_reference_counts():
    assert scores("Paris", "Rome", "Paris")["exact_match"] == 1


def test_what_cannot_be_scored_is_counted_and_in_no_mean():
    table = score_answers(["a", "b", "c"], ["서울", None, "x"], [["서울"], ["서울"], []])
    mean = table.mean()["exact_match"]
    assert (mean.mean, mean.n_scored, mean.n_total) == (1.0, 1, 3)
    assert table.notes == (
        "1 of 3 answers are missing, for their calls failed.",
        "1 of 3 queries have no reference answer to score by.",
    )


def test_an_empty_reference_is_none():
    assert np.isnan(scores("anything", " ")["best_subspan"])


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " ",
        "I don’t know.",
        "The passages do not answer this.",
        "문서에서 답을 찾을 수 없습니다.",
    ],
)
def test_refusals_are_known(answer):
    assert refuses(answer)


@pytest.mark.parametrize("answer", ["Paris", "서울이다", "No, it is Rome."])
def test_answers_are_no_refusals(answer):
    assert not refuses(answer)


@pytest.mark.parametrize("answer", ["Jeeps were built. [14]", "It was [3, 14].", "[14-15] say so"])
def test_the_number_of_a_passage_is_no_answer(answer):
    assert scores(answer, "14")["best_subspan"] == 0
    assert scores(f"14 {answer}", "14")["best_subspan"] == 1


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("", []),
        ("So it is [2].", [2]),
        ("Both [1, 3] and [3][2].", [1, 3, 2]),
        ("[2-4] agree; [4; 1] too", [2, 3, 4, 1]),
        ("[4-2] is no range, [x] no number", []),
        (f"[{'1' * 5000}]", []),
        ("[1-999999]", list(range(1, 1001))),
    ],
)
def test_citations_are_read_in_all_their_forms(answer, numbers):
    assert cited_numbers(answer) == numbers
