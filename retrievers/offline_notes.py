"""Notes without a model: title, headings, leading sentence and names of the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrievers.analyzers import compatible
from retrievers.contextual import Excerpt
from retrievers.headings import Heading, headings, path_to
from retrievers.named_terms import named_terms
from retrievers.sentences import split_sentences
from retrievers.tokens import tokens_of

ENCODING = "o200k_base"
REACH = 1000
"""Characters from a chunk at which a name weighs half of what it weighs beside it."""

_LEAD_TEXT = 4000  # characters in which the leading sentence is looked for


class OfflineNotes:
    """What a note can say without understanding the text; the same on every machine.

    In this order: the document's title, the headings over the chunk, the document's leading
    sentence, and the `names` of the document that are most and nearest around the chunk. What the
    chunk says itself is left out. Where two chunks of a document would get the same note, theirs
    also say which part of how many they are.
    longest: tokens (o200k_base) of a note; title and headings are never cut, and a place is extra.
    """

    def __init__(self, *, names: int = 8, longest: int = 100) -> None:
        if names < 0 or longest < 1:
            raise ValueError(
                f"enrich=contextual_offline got names={names} and longest={longest}: give names "
                "from 0 and longest from 1."
            )
        self.names, self.longest = names, longest

    def write(self, excerpts: Sequence[Excerpt]) -> list[str | None]:
        """One note a chunk, "" where there is nothing to add."""
        texts = list(dict.fromkeys(one.document for one in excerpts))
        found = named_terms([compatible(text) for text in texts])
        known = {
            text: _Document.read(text, names) for text, names in zip(texts, found, strict=True)
        }
        notes = [self._note(one, known[one.document]) for one in excerpts]
        return list(_told_apart(excerpts, notes))

    def _note(self, one: Excerpt, document: _Document) -> str:
        own = compatible(one.text)
        parts = [compatible(one.title).strip(), *document.path(one.start), document.lead]
        said = [part for part in dict.fromkeys(parts) if part and part not in own]
        lead = said.pop() if said and said[-1] == document.lead else ""
        told = ". ".join(part.rstrip(".") for part in said) + "." * bool(said)
        pieces = [told, _cut(lead, self.longest - _size(told))]
        left = self.longest - sum(map(_size, pieces))
        near = document.names_near(one, " ".join([own, *pieces]))
        pieces.append(_fitting(near[: self.names], left))
        return " ".join(filter(None, pieces))


class _Document(NamedTuple):
    outline: Sequence[Heading]
    lead: str
    scale: float
    names: Mapping[str, Sequence[int]]

    @classmethod
    def read(cls, original: str, names: Mapping[str, Sequence[int]]) -> _Document:
        text = compatible(original)
        outline = headings(text)
        return cls(outline, _lead(text, outline), len(text) / len(original), names)

    def path(self, start: int) -> list[str]:
        """The headings over a character of the original; it is near enough in this form."""
        return path_to(self.outline, int(start * self.scale))

    def names_near(self, one: Excerpt, said: str) -> list[str]:
        """Names that were not said yet, those that stand often and near first."""
        start, end = (int(at * self.scale) for at in (one.start, one.start + len(one.text)))
        weights = {
            name: float((1 / (1 + _distances(places, start, end) / REACH)).sum())
            for name, places in self.names.items()
            if name not in said
        }
        return sorted(weights, key=lambda name: (-weights[name], name))


def _distances(places: Sequence[int], start: int, end: int) -> NDArray[np.float64]:
    at = np.asarray(places, dtype=np.float64)
    return np.maximum(np.maximum(start - at, at - end), 0.0)


def _lead(text: str, outline: Sequence[Heading]) -> str:
    """The first sentence that is no heading, in one line; "" where there is none."""
    titles = {heading.text for heading in outline}
    for sentence in _sentences(text[:_LEAD_TEXT]):
        line = " ".join(sentence.split())
        if line.strip("#=- ") and line.lstrip("# ") not in titles:
            return line
    return ""


@cache
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(split_sentences(text))


def _cut(text: str, limit: int) -> str:
    """The words of the beginning that fit into so many tokens."""
    words = text.split()
    while words and _size(" ".join(words)) > limit:
        words = words[: max(0, min(len(words) - 1, len(words) * 9 // 10))]
    return " ".join(words)


def _fitting(names: Sequence[str], limit: int) -> str:
    taken: list[str] = []
    for name in names:
        if _size(", ".join([*taken, name])) + 1 > limit:
            break
        taken.append(name)
    return ", ".join(taken) + "." * bool(taken)


def _size(text: str) -> int:
    return len(tokens_of(ENCODING, text)) if text else 0


def _told_apart(excerpts: Sequence[Excerpt], notes: Sequence[str]) -> list[str]:
    """Notes with the place of the chunk where another one of the document says the same."""
    pairs = [(one.title, one.document, note) for one, note in zip(excerpts, notes, strict=True)]
    alike = Counter(pairs)
    return [
        f"{note} {one.place}/{one.total}".strip() if alike[pair] > 1 and one.total > 1 else note
        for one, note, pair in zip(excerpts, notes, pairs, strict=True)
    ]
