"""Which of two languages a text is in, for prompts and for answers to them."""

from __future__ import annotations

import re

_HANGUL = re.compile("[가-힣\u1100-\u11ff\u3131-\u318e]")
_LATIN = re.compile("[A-Za-z]")


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
