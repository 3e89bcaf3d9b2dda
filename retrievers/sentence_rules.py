"""Where lines and punctuation end a sentence, without a model: exact rules, any script."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from retrievers.analyzers import STOP_WORDS

LONGEST_RUN = 1_000
"""Characters without a blank that are kept together: kiwi's time grows faster than their number."""

LONGEST_BLOCK = 4_000
"""Characters after which the next end of a sentence is taken for certain, for the same reason."""

NARROWEST_WRAP = 40
"""Columns below which nobody wraps a paragraph, so that every line break there is meant."""

LONGEST_QUOTE = 400
"""Characters up to which quotation marks or brackets hold their sentences together."""

_NEAR = 80
"""Characters on either side of a mark that are looked at."""

_NEVER_LAST = frozenset(
    """
    dr mr mrs ms messrs prof rev hon gov gen sen rep col capt lt sgt st mt e.g i.e cf viz vs approx
    ca resp esp incl et
    """.split()
)
"""Abbreviations that always have something after them."""

_BEFORE_NUMBER = frozenset(
    """
    fig figs eq eqs ref refs no nos vol vols p pp ch chap sec sect tab art ed eds jan feb mar apr
    jun jul aug sep sept oct nov dec
    """.split()
)
"""Abbreviations before a number; "no." and "art." may also end a sentence."""

_SOMETIMES_LAST = frozenset(
    "al etc inc ltd co corp bros jr sr dept univ assn ave ph.d m.d b.sc m.sc a.m p.m".split()
)
"""Abbreviations that end a sentence where the next one plainly begins; so do letters: "U.S."."""

_END = re.compile(
    r"(?<![.!?…])(?P<mark>[.!?…]+)[\"'”’»)\]}]*\s+|(?<![。！？])[。！？]+[\"”’」』)]*\s*(?=\S)"
)
_PAIRS = ("“”", "«»", "「」", "『』", "()", "[]")
_HELD = re.compile(
    rf"(?<![^\s(\[“‘])\"(?=\S)[^\"]{{1,{LONGEST_QUOTE}}}?(?<=\S)\"(?!\w)|"
    + "|".join(
        rf"\{pair[0]}[^\{pair[0]}\{pair[1]}]{{0,{LONGEST_QUOTE}}}\{pair[1]}" for pair in _PAIRS
    )
)
_NEXT_WORD = re.compile(r"[\"'“‘«(\[¿¡]*(?P<word>[^\W_]*)(?P<dot>\.?)")
_LETTERS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_NUMBER = r"[(\[]?(?:\d{1,3}|[a-z가나다라마바사아자차카타파하]|[ivx]{2,5}|[IVX]{2,5})[.)\]]+"
_BULLET = r"[①-⑳]|[-–*+•·◦▪■□●○‣]|#{1,6}"
_ITEM = re.compile(rf"[^\S\n]*(?:{_NUMBER}|[A-Z]\)|{_BULLET})\s+\S")
_MARKER = re.compile(rf"\s*(?:{_NUMBER}|[A-Z][.)]|{_BULLET})\s*")
_BROAD = re.compile("[ᄀ-ᇿ⺀-꓏가-힣豈-﫿＀-｠]")
_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")
_SHARE = re.compile(rf"\S{{1,{LONGEST_RUN - 1}}}[.!?…。！？](?!\d)|\S{{1,{LONGEST_RUN}}}")


def blocks(text: str) -> list[str]:
    """The text cut where a sentence cannot go on: joined, they are the text.

    These places are a blank line, the start of a list item, a line break that is meant (the next
    word would have fitted on the line, as after a heading), in a run of over `LONGEST_RUN`
    characters without a blank the last punctuation before that many, and in what is then longer
    than `LONGEST_BLOCK` the next of `ends`.
    """
    found = [""]
    for line, breaks in _lines(text):
        found[-1] += line
        if breaks:
            found.append("")
    shares = (share for block in found if block for share in _shares(block))
    return [portion for share in shares for portion in _portions(share)]


def ends(text: str) -> list[int]:
    """Where punctuation ends a sentence of a block: the places of the first letters after."""
    cased = text != text.lower()
    held = deque(match.span() for match in _HELD.finditer(text))
    places, start = [], 0
    for match in _END.finditer(text):
        mark, end = match.span()
        while held and held[0][1] <= mark:
            held.popleft()
        if end == len(text) or (held and held[0][0] <= mark and end <= held[0][1]):
            continue
        before = text[max(start, mark - _NEAR) : end]
        after = text[end : end + _NEAR]
        item = is_marker(before.rpartition(":")[2])
        if not item and not _goes_on(before[: mark - end], match["mark"] or "", after, cased):
            start = end
            places.append(end)
    return places


def is_marker(text: str) -> bool:
    """Whether it is nothing but the number or bullet of a list item."""
    return bool(_MARKER.fullmatch(text))


def _goes_on(before: str, mark: str, after: str, cased: bool) -> bool:
    """Whether the sentence goes on after a mark. cased: the block has capital letters."""
    following = _NEXT_WORD.match(after)
    word = following["word"] if following else ""
    if cased and word[:1].islower() and not any(letter.isupper() for letter in word):
        return True
    if mark != ".":
        return False
    last = before.split()[-1].lstrip("\"'“‘«([{") if before.strip() else ""
    known = last.lower()
    if known in _NEVER_LAST or (known in _BEFORE_NUMBER and not word[:1].isalpha()):
        return True
    if last.isdecimal():
        return word.isdecimal()
    if known in _SOMETIMES_LAST or _LETTERS.fullmatch(last):
        initial = len(word) == 1 and bool(following and following["dot"])
        return initial or word.lower() not in STOP_WORDS or not word[:1].isupper()
    return False


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line with its line break, and whether a block ends there."""
    lines = text.splitlines(keepends=True)
    followers = [*lines[1:], ""][: len(lines)]
    for line, following, width in zip(lines, followers, _paragraph_widths(lines), strict=True):
        yield (
            line,
            not line.strip()
            or bool(_ITEM.match(following))
            or _is_meant(line.strip(), following.split(maxsplit=1), width),
        )


def _is_meant(line: str, following: list[str], width: int) -> bool:
    """Whether a line break is meant, in a paragraph whose longest line has `width` columns."""
    if not following:
        return False
    if line[-1] not in ".!?…:。！？" and following[0][:1].islower():
        return False
    return width < NARROWEST_WRAP or _columns(line) + 1 + _columns(following[0]) <= width


def _paragraph_widths(lines: list[str]) -> list[int]:
    widths, begin = [0] * len(lines), 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or not lines[end].strip():
            longest = max(_columns(line.strip()) for line in lines[begin:end])
            widths[begin:end] = [longest] * (end - begin)
            begin = end
    return widths


def _columns(line: str) -> int:
    return len(line) + len(_BROAD.findall(line))


def _shares(block: str) -> Iterator[str]:
    begin = 0
    for run in _RUN.finditer(block):
        for share in _SHARE.finditer(block, run.start(), run.end()):
            if share.end() < len(block):
                yield block[begin : share.end()]
                begin = share.end()
    yield block[begin:]


def _portions(block: str) -> Iterator[str]:
    begin = 0
    for place in ends(block) if len(block) > LONGEST_BLOCK else ():
        if place - begin >= LONGEST_BLOCK:
            yield block[begin:place]
            begin = place
    yield block[begin:]
