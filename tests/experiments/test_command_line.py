"""Paths and names need no quotes, whatever letters they have."""

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.command_line import readable


def value(word, *flags):
    return OverridesParser.create().parse_override(readable([*flags, word])[-1]).value()


@pytest.mark.parametrize(
    "text", ["/tmp/한글", "/tmp/a(b)", "/tmp/a=b", "it's (one)", r"C:\(x)\\", "한글, 둘", "漢 [1"]
)
def test_a_text_that_hydra_cannot_read_arrives_as_it_was_typed(text):
    assert value(f"dataset.path={text}") == text


@pytest.mark.parametrize(
    "word",
    ["depth=3", "retriever=bm25", "+experiment=compare", "~depth", "--help", "-m", "a=[b,c]"],
)
def test_a_word_that_hydra_reads_stays_as_it_is(word):
    assert readable([word]) == [word]


def test_the_items_of_a_list_and_of_a_sweep_are_quoted_one_by_one():
    assert value("run.path=[/tmp/하나.run,/tmp/둘.run]") == ["/tmp/하나.run", "/tmp/둘.run"]
    assert [one.text for one in value("dataset.path=하나,둘", "-m").list] == ["하나", "둘"]


@pytest.mark.parametrize("flag", ["-m", "--multirun"])
def test_a_sweep_may_be_asked_for_anywhere(flag):
    words = ["+experiment=retrieval", "retriever=bm25,hybrid"]
    expected = [flag, *words]
    assert readable([words[0], flag, words[1]]) == expected
    assert readable([*words, flag]) == expected
    assert readable([flag, *words, flag]) == expected


@settings(max_examples=50)
@given(st.text(st.sampled_from("가\\'\"=(),[]{}$ab:/ "), min_size=1, max_size=8))
def test_no_text_of_korean_letters_is_lost(text):
    word = f"name=한{text}글"
    if not text.strip().startswith("$"):
        assert value(word) == word.removeprefix("name=")
