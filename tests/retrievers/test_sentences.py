"""Sentences tile their text, in Korean as in English."""

import os

import pytest
from hypothesis import given, settings

from retrievers.analyzers import analyzer
from retrievers.korean import kiwi
from retrievers.sentences import split_sentences
from tests.experiments.test_chunkers import TEXTS


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_joined_sentences_are_the_text(text: str) -> None:
    pieces = split_sentences(text)
    assert "".join(pieces) == text
    assert all(pieces)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("물은 얼어요 얼음은 떠요", ["물은 얼어요 ", "얼음은 떠요"]),
        (
            '😀 물은 언다. 그는 "뜬다. 왜?"라고 했다.',
            ["😀 물은 언다. ", '그는 "뜬다. 왜?"라고 했다.'],
        ),
        (
            "Dr. Kim froze it, cf. Fig. 2. It floats.",
            ["Dr. Kim froze it, cf. Fig. 2. ", "It floats."],
        ),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_sentences_and_terms_share_a_kiwi_that_a_forked_process_replaces() -> None:
    text, parents = "물은 얼어요 얼음은 떠요", kiwi()
    expected = split_sentences(text), analyzer("kiwi").analyze_many([text])
    assert kiwi() is parents
    child = os.fork()
    if child == 0:
        found = split_sentences(text), analyzer("kiwi").analyze_many([text])
        os._exit(0 if found == expected and kiwi() is not parents else 1)
    assert os.waitpid(child, 0)[1] == 0
