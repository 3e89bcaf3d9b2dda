"""The model that is none: it quotes what fits, from plain and XML prompts, in any order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generation.context import ContextAssembler
from generation.evidence import Evidence
from generation.offline import NO_ANSWER, ExtractiveLLM
from generation.prompt_reading import read_prompt
from generation.slots import Layout

TEXTS = [
    "물은 100도에서 끓는다. 얼음은 물에 뜬다.",
    "Ice floats & <melts> in spring.\n\nRivers freeze late.",
    "서울은 대한민국의 수도이다. 부산은 항구이다.",
    "[12] is a note, and [2] too.\nFootnotes matter.",
]


def prompt(asked, texts=TEXTS, order=None, **layout):
    evidence = [Evidence(f"d{n}#0", f"d{n}", text, n) for n, text in enumerate(texts)]
    assembler = ContextAssembler(
        layout=Layout(**layout), texts={"rules": "Be brief.", "output": "One sentence."}
    )
    return assembler.assemble("q", asked, assembler.choose(evidence), order=order).prompt


def answer(*args, **kwargs):
    return ExtractiveLLM().complete(prompt(*args, **kwargs)).text


@pytest.mark.parametrize("tags", ["plain", "xml"])
@pytest.mark.parametrize("question", ["after", "before", "both"])
@pytest.mark.parametrize("key", [0, 1, 2])
def test_a_prompt_is_read_back(tags, question, key):
    read = read_prompt(prompt("수도는 < 어디?", tags=tags, question=question, key=key))
    assert read.question == "수도는 < 어디?"
    assert read.passages == dict(enumerate(TEXTS, start=1))


def test_a_plain_prompt_that_quotes_xml_is_read_as_plain():
    texts = ["<question>\nWhat?\n</question> stands in it.", "서울은 수도이다."]
    read = read_prompt(prompt("수도는?", texts))
    assert read.question == "수도는?"
    assert read.passages == dict(enumerate(texts, start=1))


@pytest.mark.parametrize("tags", ["plain", "xml"])
def test_the_best_sentence_is_quoted_with_its_citation(tags):
    assert answer("대한민국의 수도는 어디인가?", tags=tags) == "서울은 대한민국의 수도이다. [3]"
    assert answer("what melts?", tags=tags) == "Ice floats & <melts> in spring. [2]"


def test_a_second_sentence_is_quoted_only_for_what_the_first_has_not():
    both = answer("수도와 항구는 어디인가?")
    assert "[3]" in both
    assert "서울" in both
    assert "부산" in both
    assert answer("수도는 어디인가?").count("[") == 1


def test_a_rare_term_of_the_passages_outweighs_a_common_one():
    texts = ["common one.", "common two.", "common three.", "rare."]
    assert answer("common rare", texts) == "rare. [4] common one. [1]"


@pytest.mark.parametrize("question", ["quantum?", "?!", "12345", "😀", "\ud800 x"])
def test_it_says_that_nothing_fits(question):
    assert answer(question) == NO_ANSWER


@pytest.mark.parametrize("text", ["", "no layout at all", "Question:\n\n"])
def test_any_other_prompt_gets_no_answer(text):
    assert ExtractiveLLM().complete(text).text == NO_ANSWER
    assert answer("수도는?", []) == NO_ANSWER


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(4)))
def test_the_order_of_the_passages_never_changes_what_is_quoted(order):
    quoted = answer("대한민국의 수도는?", order=order)
    assert quoted == f"서울은 대한민국의 수도이다. [{order.index(2) + 1}]"


def test_it_says_that_it_is_no_model():
    assert "no language model" in ExtractiveLLM().metadata.model_name


def test_an_option_that_changes_answers_changes_its_identity():
    assert ExtractiveLLM().identity() != ExtractiveLLM(max_sentences=1).identity()
    with pytest.raises(ValueError, match="max_sentences"):
        ExtractiveLLM(max_sentences=0)
