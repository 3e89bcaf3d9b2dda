"""When was each submission made? Dates as people and boards write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\.?", re.IGNORECASE)
_AFTERNOON = re.compile(r"오후|\bp\.?m\b", re.IGNORECASE)
_MORNING = re.compile(r"오전|\ba\.?m\b", re.IGNORECASE)
_ZONE = re.compile(r":\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$")


def times_of(texts: Sequence[str]) -> list[datetime] | None:
    """The times of a column; None where one of them cannot be read, or could be two days.

    ISO 8601; year, month, day with any signs between them (2024.10.05 20:39, 2024년 10월 5일 오후
    8:39, 20241005); a month's English name; day and month before the year, where some number above
    12 in the column tells which is which; seconds or milliseconds since 1970.
    """
    if not texts:
        return None
    readings = [[_time(text.strip(), day_first) for text in texts] for day_first in (False, True)]
    known = [[time for time in reading if time is not None] for reading in readings]
    whole = [times for times in known if len(times) == len(texts)]
    return whole[0] if whole and whole[0] == whole[-1] else None


def in_order(times: Sequence[datetime]) -> bool:
    """Whether each is as late as the one before, or later."""
    return all(one <= later for one, later in pairwise(times))


def _time(text: str, day_first: bool) -> datetime | None:
    if _ZONE.search(text):
        return _zoned(text)
    named = _MONTH.search(text)
    if named:
        month = str(_MONTHS.index(named[1].lower()) + 1)
        text = f"{text[: named.start()]} m{month} {text[named.end() :]}"
    words = re.findall(r"m?\d+", text)
    date, clock = _date(words, day_first)
    if date is None:
        return None
    return _made(date, [int(word) for word in clock], text)


def _zoned(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)
    except ValueError:
        return None


def _date(words: list[str], day_first: bool) -> tuple[tuple[int, int, int] | None, list[str]]:
    """Year, month, day, and the words that are left for the clock."""
    if not words:
        return None, []
    if any(word.startswith("m") for word in words[:3]):
        return _with_name(words)
    first = words[0]
    if len(words) == 1 and len(first) in (10, 13):
        at = datetime.fromtimestamp(int(first[:10]), UTC)
        return (at.year, at.month, at.day), [str(at.hour), str(at.minute), str(at.second)]
    if len(first) in (8, 12, 14):
        clock = [first[place : place + 2] for place in range(8, len(first), 2)]
        return (int(first[:4]), int(first[4:6]), int(first[6:8])), clock or words[1:]
    if len(words) < 3:
        return None, []
    a, b, c = (int(word) for word in words[:3])
    if len(first) == 4:
        return (a, b, c), words[3:]
    if len(words[2]) != 4:
        return None, []
    return ((c, b, a) if day_first else (c, a, b)), words[3:]


def _with_name(words: list[str]) -> tuple[tuple[int, int, int] | None, list[str]]:
    month = next(int(word[1:]) for word in words[:3] if word.startswith("m"))
    others = [word for word in words if not word.startswith("m")]
    year = next((word for word in others[:2] if len(word) == 4), None)
    if year is None or len(others) < 2:
        return None, []
    others.remove(year)
    return (int(year), month, int(others[0])), others[1:]


def _made(date: tuple[int, int, int], clock: list[int], text: str) -> datetime | None:
    hour, minute, second = [*clock, 0, 0, 0][:3]
    if _AFTERNOON.search(text) and hour < 12:
        hour += 12
    elif _MORNING.search(text) and hour == 12:
        hour = 0
    try:
        return datetime(*date, hour, minute, second)
    except ValueError:
        return None
