"""Where the chunks of a foreign splitter stand in their document."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BLANKS = re.compile(r"\s*")


def locate(text: str, pieces: Sequence[str]) -> list[tuple[int, int]]:
    """Characters [start, end) of each piece, the pieces being in the order of the text.

    Where a piece occurs several times, the latest place is taken that leaves no letter between
    it and the piece before and room for all that follow; for a text that only repeats itself that
    is the true place. Pieces out of order (levels of a hierarchy) get their first place. A piece
    whose blanks were changed is found all the same; its span is then the document's own text.
    Raises ValueError: a piece is not in the text.
    """
    found = [_as_written(text, piece) for piece in pieces]
    latest = _latest_starts(text, found)
    spans: list[tuple[int, int]] = []
    for piece, limit in zip(found, latest, strict=True):
        after, end = spans[-1] if spans else (-1, 0)
        start = _start(text, piece, after + 1, end, limit)
        spans.append((start, start + len(piece)))
    return spans


def _start(text: str, piece: str, first: int, end: int, limit: int) -> int:
    gapless = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
    start = text.rfind(piece, first, min(gapless, limit) + len(piece))
    if start < 0:
        start = text.find(piece, end, limit + len(piece))
    return start if start >= 0 else text.find(piece)


def _latest_starts(text: str, pieces: Sequence[str]) -> list[int]:
    """The latest start of each piece that leaves a later start to every one that follows."""
    starts: list[int] = []
    bound = len(text)
    for piece in reversed(pieces):
        start = text.rfind(piece, 0, max(bound, 0) + len(piece))
        starts.append(start)
        bound = start - 1
    return starts[::-1]


def _as_written(text: str, piece: str) -> str:
    """The piece in the document's own blanks."""
    if piece in text:
        return piece
    words = r"\s+".join(map(re.escape, piece.split()))
    match = re.search(words, text)
    if not match:
        raise ValueError(
            f"The chunk {piece[:40]!r} is not in its document: the splitter changed the text, "
            "so its place is unknown; use a splitter that keeps the text."
        )
    return match[0]
