"""Korean morphemes for search: nouns, verb stems and roots, without particles and endings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kiwipiepy import Kiwi

NOUNS = frozenset({"NNG", "NNP", "NR", "XR"})
STEMS = ("VV", "VA")
BATCH = 256

EMPTY_STEMS = frozenset(
    "하 되 있 같 대하 위하 의하 통하 따르 관하 이러하 그러하 어떠하 이렇 그렇 어떻".split()
)
FUNCTION_WORDS = frozenset(
    """
    것 거 수 데 바 줄 뿐 때문 등 지 채 듯 리 터 나위 따름 그 이 저 및 더 또 한 두 세 네 할 안 못
    왜 잘 좀 꼭 다 게 걸 건 난 넌 나 너 내 제 새 첫 몇 와 과 은 는 을 를 의 에 도 로 아 어 네 예
    """.split()
)
"""Dependent nouns, pronouns, determiners, adverbs and loose particles that say nothing alone."""

INFLECTIONS = frozenset({"들", "씩", "쯤", "끼리"})
"""Suffixes that make no new word: "학생들" is "학생"."""

_LONE_SYLLABLE = re.compile(r"(?<![^\W_])[가-힣](?![^\W_])")


class Morpheme(NamedTuple):
    form: str
    tag: str
    start: int
    end: int
    sentence: int = 0


def morphemes(texts: Sequence[str]) -> list[list[str]]:
    """The Hangul search terms of each text, by kiwi (Lee, 2024).

    A verb or adjective stem is given as its dictionary form ("끓다"), so that "물다" (to bite)
    never meets "물" (water). A noun with an affix and an unspaced compound are given whole and in
    parts (like "mixed" decompounding in Lucene's nori), so that either spelling finds the other. A
    word of one syllable stands for itself: kiwi has too little to go by to tell "별" from "별-".
    """
    return [search_terms(text, pieces) for text, pieces in zip(texts, analyse(texts), strict=True)]


def analyse(texts: Sequence[str]) -> Iterator[list[Morpheme]]:
    """The morphemes of each text, numbered by the sentence they stand in."""
    for begin in range(0, len(texts), BATCH):
        for tokens in kiwi().tokenize(texts[begin : begin + BATCH]):
            yield [
                Morpheme(t.form, t.tag.split("-")[0], t.start, t.end, t.sent_position)
                for t in tokens
            ]


def search_terms(
    text: str, pieces: Sequence[Morpheme], begin: int = 0, end: int | None = None
) -> list[str]:
    """The search terms (see `morphemes`) of text[begin:end], whose morphemes are the pieces."""
    lone = _lone_syllables(text, pieces, begin, len(text) if end is None else end)
    rest = [piece for piece in pieces if piece.start not in lone]
    return [*lone.values(), *_terms(rest)]


def _lone_syllables(text: str, pieces: Iterable[Morpheme], begin: int, end: int) -> dict[int, str]:
    """Place -> the words of one syllable that kiwi takes for no noun and no attribute ("큰")."""
    words = _LONE_SYLLABLE.finditer(text, begin, end)
    lone = {word.start(): word[0] for word in words if word[0] not in FUNCTION_WORDS}
    for piece in pieces:
        if piece.tag in NOUNS or piece.tag == "ETM":
            lone.pop(piece.start, None)
    return lone


def kiwi() -> Kiwi:
    """The one instance of this process: its threads would hang in a forked one."""
    return _kiwi(os.getpid())


@cache
def _kiwi(process: int) -> Kiwi:
    from kiwipiepy import Kiwi

    # Multi-word titles would hide their words, and typos are not ours to mend.
    return Kiwi(load_multi_dict=False, load_typo_dict=False)


def _terms(pieces: Sequence[Morpheme]) -> Iterator[str]:
    for piece in pieces:
        if piece.tag in STEMS and piece.form not in EMPTY_STEMS:
            yield piece.form + "다"
        elif piece.tag == "NNB" and piece.form not in FUNCTION_WORDS:
            yield piece.form
    for run in _noun_runs(pieces):
        words = list(_affixed(run))
        for stem, whole in words:
            yield from (stem, *_parts(stem))
            if whole != stem:
                yield whole
        if len(words) > 1:
            yield "".join(whole for _, whole in words)


def _noun_runs(pieces: Sequence[Morpheme]) -> Iterator[list[Morpheme]]:
    """Nouns, prefixes and suffixes that stand without a blank between them."""
    run: list[Morpheme] = []
    for piece in pieces:
        joins = piece.tag in NOUNS or piece.tag in ("XPN", "XSN")
        if run and not (joins and piece.start == run[-1].end):
            yield run
            run = []
        if joins and _is_hangul(piece.form):
            run.append(piece)
    if run:
        yield run


def _affixed(run: Iterable[Morpheme]) -> Iterator[tuple[str, str]]:
    """(noun, noun with its prefixes and suffixes) for each noun of a run."""
    prefix, noun, suffix = "", "", ""
    for piece in run:
        if piece.tag in NOUNS:
            if noun:
                yield noun, prefix + noun + suffix
                prefix, suffix = "", ""
            noun = piece.form
        elif piece.tag == "XSN" and noun:
            suffix += "" if piece.form in INFLECTIONS else piece.form
        elif piece.tag == "XPN":
            if noun:
                yield noun, prefix + noun + suffix
            prefix, noun, suffix = piece.form, "", ""
    if noun:
        yield noun, prefix + noun + suffix


@cache
def _parts(noun: str) -> tuple[str, ...]:
    """The words of a dictionary compound: "온실가스" -> "온실", "가스"; none for most nouns."""
    if len(noun) < 4:
        return ()
    pieces = kiwi().tokenize(noun, blocklist=[noun])
    whole = all(piece.tag in NOUNS and len(piece.form) > 1 for piece in pieces)
    spelled = "".join(piece.form for piece in pieces) == noun
    return tuple(piece.form for piece in pieces) if whole and spelled and len(pieces) > 1 else ()


def _is_hangul(form: str) -> bool:
    return all("가" <= letter <= "힣" for letter in form)
