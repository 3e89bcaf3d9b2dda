"""Prompts in two languages, and which of the two a text is in."""

from __future__ import annotations

import re
from typing import NamedTuple

_HANGUL = re.compile("[가-힣\u1100-\u11ff\u3131-\u318e]")
_LATIN = re.compile("[A-Za-z]")
_PLACE = re.compile(r"\{(\w+)\}")


class Prompt(NamedTuple):
    """One prompt in two languages, with names in braces to fill in."""

    korean: str
    english: str

    def fill(self, like: str, **values: str | int) -> str:
        """The prompt in the language of `like`."""
        return filled(self.korean if is_korean(like) else self.english, **values)


def filled(template: str, **values: str | int) -> str:
    """The template with its names filled in once: a value may hold braces of its own."""
    return _PLACE.sub(lambda match: str(values[match[1]]), template)


def is_korean(text: str) -> bool:
    """Whether it has Hangul, and at least as many syllables or jamo as Latin letters."""
    hangul = len(_HANGUL.findall(text))
    return hangul > 0 and hangul >= len(_LATIN.findall(text))


def same_language(prompt: str, answer: str) -> str:
    """Why an answer is not in the language of its prompt; "" where it may be.

    To a Korean prompt it has Hangul somewhere; to another one it is not Korean.
    """
    if is_korean(prompt):
        return "" if _HANGUL.search(answer) else "it has no Korean in it"
    return "it is in Korean" if is_korean(answer) else ""
