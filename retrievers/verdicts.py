"""The one word that a model was asked for, in an answer that may say more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")

_PIECE = re.compile(r"[.!\n]+")
_DENIES = re.compile(
    r"\b(?:no|not|non|none|never|nothing|neither|nor|without|cannot|free)\b|n['’]t\b"
    r"|없|아니|아닌|아닐|아닙|않|(?<!잘)못",
    re.IGNORECASE,
)
_LABEL = r"(?:(?:answer|verdict|답|답변|판정)\W+)?"
_COPULA = r"(?:입니다|이다|임|이에요|예요)?"


def verdict(answer: str, words: Mapping[str, T]) -> T | None:
    """What the word in an answer stands for; None where it is not clear which word is meant.

    words: word, in small letters -> what it stands for.
    Clear is an answer with words of one meaning alone, of which one makes a sentence or a line of
    its own; or that denies nothing: "no error" says neither that there is one nor the word for it.
    """
    choices = "|".join(rf"\b{word}\b" if word.isascii() else word for word in words)
    said = {words[word.casefold()] for word in re.findall(choices, answer, re.IGNORECASE)}
    if len(said) != 1:
        return None
    alone = re.compile(rf"\W*{_LABEL}(?:{choices}){_COPULA}\W*", re.IGNORECASE)
    stands_alone = any(alone.fullmatch(piece) for piece in _PIECE.split(answer))
    return said.pop() if stands_alone or not _DENIES.search(answer) else None
