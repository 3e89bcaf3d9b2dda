"""Sentences of Korean and other texts: Korean needs morphemes, the rest is punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from retrievers.korean import kiwi

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

_HANGUL = re.compile("[가-힣]")
_LATIN = re.compile("[A-Za-z]")
_ABBREVIATIONS = ["al", "approx", "ca", "cf", "dr", "e.g", "eq", "fig", "figs", "i.e", "mr", "mrs"]
_ABBREVIATIONS += ["ms", "pp", "prof", "ref", "st", "vol", "vs"]


def split_sentences(text: str) -> list[str]:
    """The sentences in order, each with the blanks after it: joined, they are the text.

    Texts with at least as many Hangul syllables as Latin letters are split by kiwi (Lee, 2024),
    which knows endings without a full stop; all others by punkt (Kiss & Strunk, Computational
    Linguistics 2006) with a few English abbreviations, which needs no data file.
    """
    if _is_korean(text):
        starts = [sentence.start for sentence in kiwi().split_into_sents(text)]
    else:
        starts = [start for start, _ in _punkt().span_tokenize(text)]
    return _between(text, starts)


def _between(text: str, starts: Iterable[int]) -> list[str]:
    """The text cut at each start; what stands before the first belongs to the first sentence."""
    cuts = [0, *list(starts)[1:], len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    return [piece for piece in pieces if piece]


def _is_korean(text: str) -> bool:
    syllables = len(_HANGUL.findall(text))
    return syllables > 0 and syllables >= len(_LATIN.findall(text))


@cache
def _punkt() -> PunktSentenceTokenizer:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types.update(_ABBREVIATIONS)
    return PunktSentenceTokenizer(parameters)
