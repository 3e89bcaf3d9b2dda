"""Text in, search terms out: what the lexical retrievers and the duplicate finders read.

Every analyzer reads a text in the compatibility form NFKC with case folded, as the Unicode
standard advises for matching (UAX #31), so that a decomposed spelling, a full-width letter or "₂"
meets its plain form. Terms of one letter are kept. Characters no text can hold (lone surrogates)
count as blanks.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

from retrievers import korean

HANGUL = r"가-힣"
UNSPACED = (
    r"\u2E80-\u2FFF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF"
    r"\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF"
)
"""Han and kana: scripts whose words are not set apart by blanks."""

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being
    below between both but by can could couldn did didn do does doesn doing don down during each few
    for from further had hadn has hasn have haven having he her here hers herself him himself his
    how i if in into is isn it its itself just let me more most my myself no nor not of off on once
    only or other ought our ours ourselves out over own same shall shan she should shouldn so some
    such than that the their theirs them themselves then there these they this those through to too
    under until up very was wasn we were weren what when where which while who whom why will with
    would wouldn you your yours yourself yourselves
    """.split()
)
"""English function words, after the list of Porter's Snowball project, negations cut at "'"."""


class Analyzer(Protocol):
    """Deterministic: equal texts give equal terms, in any batch."""

    def analyze_many(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text, repeated as often as they occur; [] where it has none."""
        ...


@runtime_checkable
class HangulAnalyzer(Analyzer, Protocol):
    """An analyzer whose terms are the morphemes of Hangul, then the terms of the rest."""

    def other_terms(self, text: str) -> list[str]:
        """The terms of a clean text that are not Hangul."""
        ...


@dataclass(frozen=True)
class UnicodeAnalyzer:
    """Words as Unicode has them. Han and kana give single characters and overlapping pairs."""

    def analyze_many(self, texts: Sequence[str]) -> list[list[str]]:
        return [list(_unicode_terms(clean(text))) for text in texts]


@dataclass(frozen=True)
class EnglishAnalyzer:
    """Words without stop words and possessives, cut to their Snowball stems (Porter2)."""

    def analyze_many(self, texts: Sequence[str]) -> list[list[str]]:
        return [list(_english_terms(clean(text))) for text in texts]


@dataclass(frozen=True)
class KiwiAnalyzer:
    """Korean morphemes; whatever is not Hangul as `unicode` words."""

    def analyze_many(self, texts: Sequence[str]) -> list[list[str]]:
        cleaned = [clean(text) for text in texts]
        return _with_morphemes(cleaned, [self.other_terms(text) for text in cleaned])

    def other_terms(self, text: str) -> list[str]:
        return list(_unicode_terms(_hangul().sub(" ", text)))


@dataclass(frozen=True)
class AutoAnalyzer:
    """Each script by its own rule: Hangul by `kiwi`, Latin words by `english`, others by `unicode`.

    In a text with Hangul a single Latin letter is a name, never the article: "비타민 A", "O형".
    """

    def analyze_many(self, texts: Sequence[str]) -> list[list[str]]:
        cleaned = [clean(text) for text in texts]
        return _with_morphemes(cleaned, [self.other_terms(text) for text in cleaned])

    def other_terms(self, text: str) -> list[str]:
        has_hangul = bool(_hangul().search(text))
        return list(_english_terms(_hangul().sub(" ", text), letters=has_hangul))


@dataclass(frozen=True)
class CharNgramAnalyzer:
    """Overlapping character n-grams within words: n = 4, for Hangul, Han and kana n = 1 and 2.

    The lengths are those that serve retrieval best across languages: McNamee & Mayfield
    (Information Retrieval, 2004) for alphabets, Lee & Ahn (SIGIR 1996) for Korean.
    """

    def analyze_many(self, texts: Sequence[str]) -> list[list[str]]:
        return [list(_ngram_terms(clean(text))) for text in texts]


ANALYZERS: Mapping[str, Analyzer] = {
    "auto": AutoAnalyzer(),
    "kiwi": KiwiAnalyzer(),
    "english": EnglishAnalyzer(),
    "unicode": UnicodeAnalyzer(),
    "char_ngram": CharNgramAnalyzer(),
}


def analyzer(name: str) -> Analyzer:
    """The analyzer of that name.

    Raises ValueError for a name that is not in `ANALYZERS`.
    """
    if name not in ANALYZERS:
        near = difflib.get_close_matches(name, ANALYZERS, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise ValueError(f"There is no analyzer {name!r}: choose from {', '.join(ANALYZERS)}{hint}")
    return ANALYZERS[name]


def clean(text: str) -> str:
    """The text as it is matched: NFKC, case folded, without lone surrogates and NUL."""
    return unicodedata.normalize("NFKC", compatible(text).casefold())


def compatible(text: str) -> str:
    """The text in NFKC, without lone surrogates and NUL."""
    return unicodedata.normalize("NFKC", re.sub("[\ud800-\udfff\0]", " ", text))


def _with_morphemes(texts: Sequence[str], rest: list[list[str]]) -> list[list[str]]:
    places = [place for place, text in enumerate(texts) if _hangul().search(text)]
    found = korean.morphemes([texts[place] for place in places]) if places else []
    for place, terms in zip(places, found, strict=True):
        rest[place] = terms + rest[place]
    return rest


def _unicode_terms(text: str) -> Iterator[str]:
    for number, unspaced, hangul, word in _words().findall(text):
        if unspaced:
            yield from _ngrams(unspaced)
        else:
            yield word or hangul or number.replace(",", "")


def _english_terms(text: str, letters: bool = False) -> Iterator[str]:
    """`letters`: keep words of one letter even where they are stop words."""
    for term in _unicode_terms(text):
        if term not in STOP_WORDS or (letters and len(term) == 1):
            yield _stem(term)


def _ngram_terms(text: str) -> Iterator[str]:
    for number, unspaced, hangul, word in _words().findall(text):
        if word:
            yield from (word[i : i + 4] for i in range(max(1, len(word) - 3)))
        elif number:
            yield number.replace(",", "")
        else:
            yield from _ngrams(hangul or unspaced)


def _ngrams(run: str) -> Iterator[str]:
    yield from run
    yield from (run[i : i + 2] for i in range(len(run) - 1))


@cache
def _stem(word: str) -> str:
    return _stemmer().stemWord(word)  # type: ignore[no-any-return]


@cache
def _stemmer():  # type: ignore[no-untyped-def]
    from Stemmer import Stemmer

    return Stemmer("english")


@cache
def _hangul() -> re.Pattern[str]:
    return re.compile(f"[{HANGUL}]+")


@cache
def _words() -> re.Pattern[str]:
    """A number with its decimals, a run of one script, or a word without "'s", "'t" and so on.

    Plain letters are taken in one step, or each would be held against the other scripts.
    """
    marks = "".join(chr(c) for c in range(0x300, 0xFE00) if unicodedata.category(chr(c))[0] == "M")
    letter = rf"(?![{HANGUL}{UNSPACED}])[^\W_]"
    return re.compile(
        r"(?P<number>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)+)"
        rf"|(?P<unspaced>[{UNSPACED}]+)"
        rf"|(?P<hangul>[{HANGUL}]+)"
        rf"|(?P<word>(?:[a-z0-9]++|{letter})(?:[a-z0-9]++|{letter}|[{marks}])*+)"
        r"(?:['’](?:s|t|re|ve|ll|d|m)\b)?"
    )
