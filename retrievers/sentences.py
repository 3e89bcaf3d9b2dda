"""Sentences of Korean and other texts: Korean needs morphemes, the rest is punctuation."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from sys import intern
from typing import NamedTuple

from retrievers import korean
from retrievers.analyzers import HANGUL, compatible
from retrievers.korean import BATCH, Morpheme
from retrievers.sentence_rules import blocks, ends, is_marker

_HANGUL = re.compile(f"[{HANGUL}]")
_LATIN = re.compile("[A-Za-z]")
_LATIN_LAST = re.compile(r"[A-Za-z][\W\d]*$")
_LATIN_NEXT = re.compile(r"[\"'“‘(\[]*[A-Za-z]")
_HANGUL_LAST = re.compile(rf"[{HANGUL}][^\w\s]*\s*$")
_ELLIPSES = ("..", "...", "…", "……", "......")
_UNFINISHED = ("J", "MA", "MM", "IC", "ETM")
_UNIT = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\s*\S+\s*|\s+")


class Sentence(NamedTuple):
    """A sentence with the blanks after it.

    hangul_terms: its terms of `retrievers.korean`, read with the neighbours in view.
    units: its morphemes by kiwi, punctuation included; words and marks where there is no Hangul.
    """

    text: str
    hangul_terms: tuple[str, ...]
    units: int


def split_sentences(text: str) -> list[str]:
    """The sentences in order, each with the blanks after it: joined, they are the text.

    Line breaks that are meant and list items end a sentence, then punctuation does, by the rules of
    `retrievers.sentence_rules`. What has Hangul is split by kiwi (Lee, 2024), which knows endings
    without a full stop; the rules hold for foreign sentences in it. What has neither letter nor
    digit is no sentence and stays with a neighbour.
    """
    return [sentence.text for sentence in next(read_sentences([text]))]


def read_sentences(texts: Sequence[str]) -> Iterator[list[Sentence]]:
    """The sentences of each text as `split_sentences` gives them, with their Hangul terms.

    Sentences and terms come from one kiwi pass, on all cores.
    """
    for begin in range(0, len(texts), BATCH):
        split = [[_Block.of(block) for block in blocks(t)] for t in texts[begin : begin + BATCH]]
        folded = [block.folded for several in split for block in several if block.is_korean]
        read = korean.analyse(folded)
        for several in split:
            yield list(
                _joined(
                    sentence
                    for block in several
                    for sentence in (block.korean(next(read)) if block.is_korean else block.other())
                )
            )


def has_word(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(letter.isalnum() for letter in text)


class _Block(NamedTuple):
    """A text without a certain end of a sentence in it: as it was given, and as it is read."""

    text: str
    form: str

    @classmethod
    def of(cls, text: str) -> _Block:
        form = compatible(text)
        return cls(text, form if form == text else "".join(map(compatible, _WORD.findall(text))))

    @property
    def is_korean(self) -> bool:
        return bool(_HANGUL.search(self.form))

    @property
    def folded(self) -> str:
        """Case folded as the analyzers do it, but letter for letter, so that places stay."""
        whole = self.form.casefold()
        if len(whole) == len(self.form):
            return whole
        folds = ((letter, letter.casefold()) for letter in self.form)
        return "".join(fold if len(fold) == 1 else letter for letter, fold in folds)

    def other(self) -> Iterator[Sentence]:
        for piece in self._pieces(ends(self.form)):
            yield Sentence(piece, (), len(_UNIT.findall(piece)))

    def korean(self, morphemes: Sequence[Morpheme]) -> Iterator[Sentence]:
        cuts = _korean_ends(self.form, morphemes)
        rows = [bisect_left(morphemes, cut, key=attrgetter("start")) for cut in cuts]
        folded = self.folded
        spans = zip([0, *cuts], [*cuts, len(folded)], [0, *rows], [*rows, None], strict=True)
        for piece, (begin, end, first, last) in zip(self._pieces(cuts), spans, strict=True):
            inside = morphemes[first:last]
            terms = korean.search_terms(folded, inside, begin, end)
            yield Sentence(piece, tuple(map(intern, terms)), len(inside))

    def _pieces(self, cuts: Sequence[int]) -> list[str]:
        """The text as given, cut where its form is cut."""
        places = cuts if self.text == self.form else _origins(self.text, cuts)
        return [self.text[begin:end] for begin, end in pairwise([0, *places, len(self.text)])]


def _korean_ends(form: str, morphemes: Sequence[Morpheme]) -> list[int]:
    """Where kiwi sees a sentence end; after Latin letters the rules know better."""
    borders = (
        i for i in range(1, len(morphemes)) if morphemes[i].sentence != morphemes[i - 1].sentence
    )
    seen = {morphemes[i].start for i in borders if not _hesitates(morphemes[max(0, i - 2) : i])}
    ruled = set(ends(form))
    cuts, begin = [], 0
    for cut in sorted(seen | ruled):
        before = form[begin:cut]
        if not _HANGUL.search(before) and _LATIN.search(before):
            kept = cut in ruled
        elif _LATIN_LAST.search(before):
            kept = cut in ruled and (cut in seen or _LATIN_NEXT.match(form, cut) is not None)
        else:
            kept = cut in seen or (
                cut in ruled and bool(_HANGUL_LAST.search(before) and _LATIN_NEXT.match(form, cut))
            )
        if kept:
            cuts.append(cut)
            begin = cut
    return cuts


def _hesitates(last: Sequence[Morpheme]) -> bool:
    """An ellipsis after a particle, an adverb or the like is a pause: "물은... 언다"."""
    return last[-1].form in _ELLIPSES and last[0].tag.startswith(_UNFINISHED)


def _origins(text: str, cuts: Sequence[int]) -> list[int]:
    """Where cuts of the form lie in the text: whole words keep step, letters are tried."""
    words = _WORD.findall(text)
    begins = [0, *accumulate(map(len, words))]
    forms = [0, *accumulate(len(compatible(word)) for word in words)]
    places = []
    for cut in cuts:
        row = bisect_right(forms, cut) - 1
        beyond = (
            length
            for length in range(len(words[row]) + 1)
            if len(compatible(words[row][:length])) >= cut - forms[row]
        )
        places.append(begins[row] + next(beyond))
    return places


def _joined(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """List markers go to the next sentence, punctuation alone to the one before."""
    group: list[Sentence] = []
    waits = True
    for sentence in sentences:
        words, marker = has_word(sentence.text), is_marker(sentence.text)
        if group and not waits and (words or marker):
            yield _together(group)
            group = []
        waits = marker or (not words and (waits or not group))
        group.append(sentence)
    if group:
        yield _together(group)


def _together(group: Sequence[Sentence]) -> Sentence:
    return Sentence(
        "".join(sentence.text for sentence in group),
        tuple(chain.from_iterable(sentence.hangul_terms for sentence in group)),
        sum(sentence.units for sentence in group),
    )
