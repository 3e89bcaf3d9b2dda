"""The names of a document and where they stand: proper nouns, acronyms, Korean noun compounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from retrievers import korean
from retrievers.analyzers import STOP_WORDS
from retrievers.korean import FUNCTION_WORDS, Morpheme

_WORD = re.compile(r"[^\W_가-힣]+(?:[-'’][^\W_가-힣]+)*")
_HANGUL = re.compile("[가-힣]")
_OPENS = re.compile(r"(?:^|[.!?…:\n#]['\"’”)\]]*)\s*['\"“‘(\[]*$")
_NOUNS = {"NNG", "NNP", "SL", "SN"}
_LONGEST = 3


def named_terms(texts: Sequence[str]) -> Iterator[dict[str, list[int]]]:
    """Name -> the characters at which it stands, text by text, in the order they first stand.

    Latin and other cased scripts: runs of at most three capitalised words. One that only ever
    opens sentences, or that the text writes small elsewhere, is none. Hangul: proper nouns, and
    nouns that stand unspaced beside another, by kiwi (Lee, 2024).
    """
    korean_ones = [place for place, text in enumerate(texts) if _HANGUL.search(text)]
    read = dict(
        zip(korean_ones, korean.analyse([texts[place] for place in korean_ones]), strict=True)
    )
    for place, text in enumerate(texts):
        found: dict[str, list[int]] = {}
        pairs = [*_capitalised(text), *_nouns(text, read.get(place, []))]
        for start, name in sorted(pairs):
            found.setdefault(name, []).append(start)
        yield found


def _capitalised(text: str) -> Iterator[tuple[int, str]]:
    runs = list(_runs(text))
    inside = {name for start, name in runs if not _OPENS.search(text[max(0, start - 8) : start])}
    yield from ((start, name) for start, name in runs if name in inside or _is_sure(name))


def _runs(text: str) -> Iterator[tuple[int, str]]:
    """Capitalised words that the text never writes small, those a blank apart together."""
    words = list(_WORD.finditer(text))
    small = STOP_WORDS | {word[0] for word in words if word[0].islower()}
    run: list[re.Match[str]] = []
    for word in words:
        named = len(word[0]) > 1 and word[0][0].isupper() and word[0].casefold() not in small
        goes_on = bool(run) and len(run) < _LONGEST and text[run[-1].end() : word.start()] == " "
        if run and not (named and goes_on):
            yield run[0].start(), text[run[0].start() : run[-1].end()]
            run = []
        run += [word] if named else []
    if run:
        yield run[0].start(), text[run[0].start() : run[-1].end()]


def _is_sure(name: str) -> bool:
    """Whether it is a name wherever it stands: several words, or a capital after the first."""
    return " " in name or any(letter.isupper() or letter.isdigit() for letter in name[1:])


def _nouns(text: str, pieces: Sequence[Morpheme]) -> Iterator[tuple[int, str]]:
    """Runs of nouns without a blank between them: a compound, or a proper noun."""
    places = enumerate(pieces)
    for is_noun, group in groupby(places, key=lambda pair: pair[1].tag in _NOUNS):
        run = [piece for _, piece in group]
        if is_noun:
            yield from _compounds(text, run)


def _compounds(text: str, run: Sequence[Morpheme]) -> Iterator[tuple[int, str]]:
    begin = 0
    for place in range(1, len(run) + 1):
        if place < len(run) and run[place].start == run[place - 1].end:
            continue
        pieces = run[begin:place]
        begin = place
        name = text[pieces[0].start : pieces[-1].end]
        proper = any(piece.tag == "NNP" for piece in pieces)
        if (proper or len(pieces) > 1) and _HANGUL.search(name) and name not in FUNCTION_WORDS:
            yield pieces[0].start, name
