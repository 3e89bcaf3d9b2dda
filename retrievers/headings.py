"""Which headings a place in a document stands under."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

LONGEST = 80
"""Characters that a heading without a mark of its own has at most."""

_LINE = re.compile(r"[^\n]+")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*")
_RULE = re.compile(r"(=+|-{3,})[ \t]*")
_SENTENCE_END = re.compile(r"[.!?,;:。！？…]['\"’”)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")
_PLAIN_LEVEL = 7


class Heading(NamedTuple):
    """start: of its line.  level: 1 is the highest; 7 is a lone line without a mark."""

    start: int
    level: int
    text: str


def headings(text: str) -> list[Heading]:
    """The headings of a text in order.

    A line marked with "#" or underlined, as in Markdown; else a line of at most 80 characters
    between blank lines, with a letter in it, that does not end as a sentence does.
    """
    lines = [(match.start(), match[0]) for match in _LINE.finditer(text)]
    found = [_marked(text, start, line) for start, line in lines]
    return [heading for heading in found if heading is not None]


def path_to(found: Sequence[Heading], place: int) -> list[str]:
    """The headings over a character, highest first: each ends those of its level and below."""
    path: list[Heading] = []
    for heading in found:
        if heading.start > place:
            break
        path = [above for above in path if above.level < heading.level] + [heading]
    return [heading.text for heading in path]


def _marked(text: str, start: int, line: str) -> Heading | None:
    if match := _ATX.fullmatch(line):
        return Heading(start, len(match[1]), match[2])
    words = line.strip()
    if len(words) > LONGEST or not _LETTER.search(words):
        return None
    following = text[start + len(line) + 1 :].split("\n", 1)[0]
    if rule := _RULE.fullmatch(following):
        return Heading(start, 1 if rule[1].startswith("=") else 2, words)
    alone = not following.strip() and not _before(text, start).strip()
    if alone and not _SENTENCE_END.search(words):
        return Heading(start, _PLAIN_LEVEL, words)
    return None


def _before(text: str, start: int) -> str:
    """The line before the one that begins at `start`; "" at the beginning."""
    return text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]
