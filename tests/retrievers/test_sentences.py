"""Sentences tile their text; the golden tables say where Korean and English ones end."""

import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.analyzers import analyzer
from retrievers.korean import kiwi
from retrievers.sentence_rules import LONGEST_BLOCK, LONGEST_RUN
from retrievers.sentences import has_word, read_sentences, split_sentences
from tests.experiments.test_chunkers import TEXTS

ENGLISH = [
    # abbreviations
    ["Dr. Kim froze it, cf. Fig. 2. ", "It floats."],
    ["Mr. and Mrs. Lee met Prof. Han at St. Mary's. ", "They talked."],
    ["Use salts, e.g. NaCl, i.e. table salt. ", "It melts ice."],
    ["Kim et al. (2020) found it. ", "So did Lee et al. ", "They agree."],
    ["The U.S. Army came. ", "He lives in the U.S. ", "It is big."],
    ["See No. 5, pp. 3-5 and Eq. (3). ", "He said no. ", "Then he left."],
    ["Saws, hammers, etc. are tools. ", "Use nails, etc. ", "The rest is easy."],
    ["J. R. R. Tolkien wrote it. ", "E. coli grows."],
    ["Plan B failed. ", "Take vitamin B. ", "It helps."],
    ["At 5 p.m. Mr. Smith left on Jan. 5. ", "Nobody saw him."],
    # numbers
    ["It costs $3.50. ", "That is a lot."],
    ["The sum is 5. ", "Then add 3. ", "Version 1.2.3 is out."],
    ["Visit www.example.com. ", "It is nice."],
    # quotes and brackets
    ['"He left." she said. ', '"Why?" asked Tom. ', "Then he came."],
    ['He said, "I am here. You too." and left. ', "Fine."],
    ["He said, “I am here. You too.” ", "Then he left."],
    ["It works (see Fig. 3. It is good) in water. ", "Then go."],
    ['A screen of 5" is small. ', 'One of 7" is not. ', "Is it?"],
    # ellipses and other marks
    ["Well... maybe. ", "Really?! ", "Yes! ", "He waited... ", "Nobody came."],
    # letters that begin a sentence small
    ["Water is neutral. ", "pH is 7. ", "mRNA is copied."],
    ["water is cold . ", "ice is colder . ", "it floats ."],
    # lists, headings, wrapped lines
    ["1. Water freezes.\n", "2. Ice floats.\n", "10) It melts."],
    ["- water\n", "- ice and e.g. snow\n", "* fog\n", "• dew"],
    ["Steps: 1. Boil it. ", "2. Cool it. ", "3. Drink."],
    ["# Water\n", "It freezes.\n\n", "Ice\n\n", "It floats."],
    ["Introduction\n", "Water freezes at a low temperature and becomes ice.\n", "It floats."],
    [
        "This line was wrapped by a program at a column and\ngoes on here, in the same sentence,"
        " until it comes\nto its end. ",
        "The last line is short.\n",
        "A paragraph of its own.",
    ],
    # other scripts
    ["水は凍る。", "氷は浮く。", "「はい。」と言った。"],
    ["Вода замерзает при 0 °C. ", "Лёд легче воды."],
]

KOREAN = [
    ["물은 얼어요 ", "얼음은 떠요"],
    ["물은 언다.", "얼음은 뜬다."],
    ["정말? ", "그렇다! ", "와!! ", "뭐라고?!"],
    # numbers and dates
    ["물의 밀도는 0.99이다. ", "면적은 605.2㎢이고 인구는 약 9,500,000명이다."],
    ["2024. 5. 3. 발표했다. ", "다음 해에 끝났다."],
    # quotes
    ["😀 물은 언다. ", '그는 "뜬다. 왜?"라고 했다.'],
    ["그는 '뜬다.'고 했다. ", "나도 그렇다."],
    ["그는 “안녕하세요. 반갑습니다.”라고 인사했다. ", "그리고 앉았다."],
    ["철수가 물었다. ", '"어디 가니?" ', "영희가 대답했다. ", '"집에 가."'],
    # lists and headings
    ["1. 물은 언다.\n", "2. 얼음은 뜬다.\n", "3. 끝"],
    ["가. 첫째 항목이다.\n", "나. 둘째 항목이다."],
    ["- 산소\n", "- 수소\n", "• 질소"],
    ["물의 성질\n", "물은 0도에서 언다. ", "값은 3.14이다."],
    ["질문: 물은 왜 어는가?\n", "답: 온도가 낮아서다."],
    ["제1장 서론\n", "이 장에서는 물을 다룬다.\n\n", "1.1 배경\n", "물은 중요하다."],
    # ellipses
    ["그는 갔다... ", "그리고 왔다."],
    ["그러나... 그는 왔다. ", "물은... 음... 언다."],
    # abbreviations and English inside Korean
    ["미국(U.S.)의 연구(Kim et al. 2020)에 따르면 그렇다. ", "예컨대 Fig. 3을 보라."],
    ["대장균(E. coli)은 세균이다. ", "H. pylori도 그렇다."],
    ["물은 언다. ", "pH는 7이다. ", "DNA는 A, T, G, C로 된다. ", "RNA는 다르다."],
    ["참고: https://example.com/a.b?c=d. ", "다음 문장이다."],
    ["물은 언다. ", "Water freezes at 0.5 degrees. ", "Dr. Kim said so in Fig. 3. ", "그렇다."],
    ["물은 언다. ", '"Why?" she asked. ', "그렇다."],
    ["물은 언다.\n\n", "Water is cold. ", "Ice is colder.\n\n", "그렇다. ", "끝이다."],
    ["Water is cold. ", "Ice is colder.\n", "물은 차가워요 ", "얼음은 더 차요\n", "It floats."],
    ["Water (물) freezes. ", "Dr. Kim (김 박사) said so, e.g. in 2020. ", "It floats."],
    # spellings
    ["\u1106\u116e\u11af\u110b\u1173\u11ab 언다. ", "얼음\u110b\u1173\u11ab 뜬다. ", "그래."],
    ["ｱ①물은 언다．", "얼음은 뜬다！ ", "그렇다."],
    ["\ud800물은 언다. ", "얼음은\0 뜬다."],
]

FRAGMENTS = [
    ["..."],
    ["물은 언다. . ?!"],
    ["— 물은 언다. ", "얼음은 뜬다.\n***\n"],
    ["?! Ice floats.\n\n---\n\n", "It melts."],
    ["물은 언다.\n", "2.\n얼음은 뜬다."],
    ["-\nwater\n", "-\nice"],
    ["123 456"],
]


@settings(max_examples=100, deadline=None)
@given(
    text=st.one_of(
        TEXTS, st.text(alphabet='가다.ab A1?!"“”()\n -…①\ud800\u1100\u1161', max_size=80)
    )
)
def test_joined_sentences_are_the_text(text: str) -> None:
    pieces = split_sentences(text)
    assert "".join(pieces) == text
    assert all(pieces)


@pytest.mark.parametrize("sentences", [*ENGLISH, *KOREAN], ids=lambda found: found[0][:30])
def test_sentences(sentences: list[str]) -> None:
    assert split_sentences("".join(sentences)) == sentences


@pytest.mark.parametrize("pieces", FRAGMENTS, ids=lambda found: ascii(found[0]))
def test_punctuation_and_list_numbers_are_no_sentences(pieces: list[str]) -> None:
    assert split_sentences("".join(pieces)) == pieces


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="가다.aA1?! \n-", max_size=40))
def test_only_a_text_without_words_has_a_piece_without_words(text: str) -> None:
    pieces = split_sentences(text)
    assert all(map(has_word, pieces)) or len(pieces) == 1 or pieces[-1].strip() == "-"


def test_a_batch_reads_as_its_texts_one_by_one() -> None:
    texts = ["".join(sentences) for sentences in (*ENGLISH, *KOREAN, *FRAGMENTS)] * 4
    batch = list(read_sentences(texts))
    assert batch == [next(read_sentences([text])) for text in texts]


def test_terms_and_morphemes_of_a_sentence_are_its_own() -> None:
    first, english, last = next(read_sentences(["물은 얼어요 Ice floats. 얼음은 떠요."]))
    assert (first.hangul_terms, english.hangul_terms) == (("얼다", "물"), ())
    assert last.hangul_terms == ("뜨다", "얼음")
    assert (first.units, english.units, last.units) == (4, 3, 5)


@pytest.mark.parametrize(
    "text",
    ["abc" * 33_000, "보" * 20_000, "." * 100_000, '"' * 100_000, "Dr. " * 25_000, "“" * 100_000],
    ids=lambda text: text[:3],
)
def test_unending_texts_are_cut_in_time(text: str) -> None:
    start = time.process_time()
    pieces = split_sentences(text)
    assert "".join(pieces) == text
    assert time.process_time() - start < 30


def test_long_runs_are_cut_after_punctuation_and_long_paragraphs_after_sentences() -> None:
    run = "보" * (LONGEST_RUN - 50) + "!"
    assert split_sentences(run * 3) == [run] * 3
    pieces = split_sentences("물은 언다. " * LONGEST_BLOCK)
    assert set(pieces) == {"물은 언다. "}


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
