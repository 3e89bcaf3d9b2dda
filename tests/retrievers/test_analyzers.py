"""Terms that searchers would miss."""

from __future__ import annotations

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.analyzers import ANALYZERS, analyzer


def terms(name: str, text: str) -> list[str]:
    return analyzer(name).analyze_many([text])[0]


@pytest.mark.parametrize("text", ["서울은", "서울에서", "서울의", "서울까지는", "서울"])
@pytest.mark.parametrize("name", ["auto", "kiwi"])
def test_particles_are_never_glued_to_the_noun(name: str, text: str) -> None:
    assert terms(name, text) == ["서울"]


@pytest.mark.parametrize("name", sorted(ANALYZERS))
@pytest.mark.parametrize("letter", ["물", "불", "빛", "별", "열", "금", "R", "C"])
def test_words_of_one_letter_are_kept(name: str, letter: str) -> None:
    assert letter.casefold() in terms(name, letter)


@pytest.mark.parametrize("sentence", ["물이 끓는다", "물은 차다", "물과 불"])
def test_one_syllable_nouns_meet_their_inflected_forms(sentence: str) -> None:
    assert "물" in terms("auto", sentence)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("온실가스", "온실 가스"),
        ("세포호흡", "세포 호흡"),
        ("태양계의 행성", "태양계"),
        ("초음파를 쏜다", "초음파 검사"),
        ("연구한다", "연구되었다"),
        ("끓는 물", "끓었다"),
    ],
)
def test_spellings_of_one_word_share_a_term(one: str, other: str) -> None:
    assert set(terms("auto", one)) & set(terms("auto", other))


def test_a_prefixed_noun_is_told_from_the_bare_one() -> None:
    assert "비금속" in terms("auto", "비금속 원소")
    assert "비금속" not in terms("auto", "금속 원소")


@pytest.mark.parametrize(
    "text", ["그것은 무엇인가요?", "어떻게 되나요?", "the of and", "What is it?"]
)
def test_function_words_alone_leave_nothing(text: str) -> None:
    assert terms("auto", text) == []


@pytest.mark.parametrize("name", ["auto", "kiwi", "english", "unicode"])
def test_numbers_and_formulas_stay_whole(name: str) -> None:
    text = "3.14 CO2 H2O CO₂ 10,000 1,2"
    assert terms(name, text) == ["3.14", "co2", "h2o", "co2", "10000", "1", "2"]


def test_formulas_before_a_particle() -> None:
    assert set(terms("auto", "CO₂와 DNA는 3.14의")) == {"co2", "dna", "3.14"}


def test_english_stems_stop_words_and_possessives() -> None:
    text = "The researcher's studies weren't running"
    assert terms("english", text) == ["research", "studi", "run"]


def test_a_latin_letter_is_an_article_only_in_english() -> None:
    assert "a" in terms("auto", "비타민 A")
    assert terms("auto", "a vitamin") == ["vitamin"]


def test_auto_reads_each_script_by_its_rule() -> None:
    found = terms("auto", "서울에서 running Привет 日本語")
    assert found == ["서울", "run", "привет", "日", "本", "語", "日本", "本語"]


def test_char_ngrams_follow_the_script() -> None:
    assert terms("char_ngram", "식물은") == ["식", "물", "은", "식물", "물은"]
    assert terms("char_ngram", "Light by") == ["ligh", "ight", "by"]


@pytest.mark.parametrize("name", sorted(ANALYZERS))
def test_decomposed_and_full_width_spellings_are_one(name: str) -> None:
    text = "서울의 naïve café ﬁre"
    for spelling in (unicodedata.normalize("NFD", text), text.replace("ﬁ", "fi"), text.upper()):
        assert terms(name, spelling) == terms(name, text)


@pytest.mark.parametrize("name", sorted(ANALYZERS))
@given(
    texts=st.lists(st.text(st.characters() | st.sampled_from("가나물은에서 aR1.,'"), max_size=20))
)
def test_any_text_in_any_batch_gives_the_same_terms(name: str, texts: list[str]) -> None:
    together = analyzer(name).analyze_many(texts)
    assert together == [terms(name, text) for text in texts]
    assert all(term and not term.isspace() for found in together for term in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_kiwi_works_in_a_forked_process() -> None:
    expected = analyzer("kiwi").analyze_many(["물이 끓는다", "서울은"] * 9)
    child = os.fork()
    if child == 0:
        found = analyzer("kiwi").analyze_many(["물이 끓는다", "서울은"] * 9)
        os._exit(0 if found == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_an_unknown_analyzer_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean english"):
        analyzer("englsh")
