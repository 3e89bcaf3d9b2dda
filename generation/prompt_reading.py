"""A prompt of `ContextAssembler` read back: its question and its passages."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from html import unescape
from itertools import count

from generation.slots import EVIDENCE, ORDER, TITLES

_XML = re.compile(rf"<(?:{'|'.join(ORDER)})>\n")
_HEADING = re.compile(rf"(?:\A|\n\n)({'|'.join(TITLES.values())}):\n")
_CITED = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
_PASSAGE = re.compile(r'<passage n="(\d+)" [^>]*>(.*?)</passage>', re.DOTALL)
_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    """question: "" where none is found.  passages: number of the citation -> text."""

    question: str
    passages: dict[int, str]


def read_prompt(prompt: str) -> ReadPrompt:
    """What a plain or XML prompt asks, and what it shows.

    A plain passage in which a line is like a heading of the layout, or begins with the citation
    that is due next, is misread there: XML leaves no such doubt.
    """
    if _XML.match(prompt):
        found = _QUESTION.search(prompt)
        shown = _PASSAGE.findall(prompt)
        question = unescape(found[1]) if found else ""
        return ReadPrompt(question, {int(number): unescape(text) for number, text in shown})
    sections = _sections(prompt)
    asked = [text for title, text in sections if title == TITLES["question"]]
    passages: dict[int, str] = {}
    for name in EVIDENCE:
        for text in (text for title, text in sections if title == TITLES[name]):
            passages |= _cited(text, taken=passages.keys(), key=name == EVIDENCE[0])
    return ReadPrompt(asked[-1] if asked else "", passages)


def _sections(prompt: str) -> list[tuple[str, str]]:
    """(heading, text) in order."""
    pieces = _HEADING.split(prompt)[1:]
    texts = [text.removesuffix("\n") for text in pieces[1::2]]
    return list(zip(pieces[::2], texts, strict=True))


def _cited(section: str, *, taken: Collection[int], key: bool) -> dict[int, str]:
    """Number -> passage. Those of key evidence rise; the others fill what is not taken."""
    starts: list[re.Match[str]] = []
    due = (number for number in count(1) if number not in taken)
    wanted = next(due)
    for match in _CITED.finditer(section):
        number = int(match[1])
        if number == wanted or (key and number > wanted):
            starts.append(match)
            wanted = number + 1 if key else next(due)
    ends = [match.start() - 1 for match in starts[1:]] + [len(section)]
    return {
        int(match[1]): section[match.end() : end] for match, end in zip(starts, ends, strict=True)
    }
