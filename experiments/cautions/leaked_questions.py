"""Do prompts or settings hold the ids or the words of evaluation questions?"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.schema import Query

WORDS = 8
HANGUL = 20
_LONG_ID = 6
_SHORT_IDS = 3
_TOKEN = re.compile(r"\w+")
_IS_HANGUL = re.compile(r"[\uac00-\ud7a3]")


def leaked_questions(queries: Sequence[Query], settings: Any) -> tuple[str, ...]:
    """One sentence for each text among the settings that holds questions, and for one with ids.

    settings: a JSON value, such as a described pipeline; its texts are looked through, its classes
        and hashes are not.
    A question is held where 8 of its words in a row stand in a text, or 20 characters in a row,
    blanks apart, with Hangul among them; case and Unicode form do not matter. An id counts where
    it stands as a word: one of 6 signs or more by itself, shorter ones where three stand together.
    """
    texts: dict[str, list[str]] = defaultdict(list)
    for name, text in _texts(settings, ""):
        texts[name].append(text)
    told = []
    for name, parts in texts.items():
        text = "\n".join(parts)
        if held := _held(_folded(text), queries):
            told.append(
                f"The option {name} holds words of {_counted(held, 'evaluation question')}: take "
                "them out, or its scores are not those of unseen questions."
            )
        if ids := _ids(text, queries):
            told.append(
                f"The option {name} names {_counted(ids, 'evaluation question')} by id: a rule "
                "for single questions does not carry over to others."
            )
    return tuple(told)


def _texts(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """The path of each text and the text itself."""
    if isinstance(value, str):
        yield name.lstrip("."), value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in ("class", "source"):
                yield from _texts(inner, name if key == "arguments" else f"{name}.{key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, name)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _held(text: str, queries: Sequence[Query]) -> list[str]:
    """The queries of which a folded text has a long sequence."""
    tokens, close = _TOKEN.findall(text), "".join(text.split())
    if len(tokens) < WORDS and len(close) < HANGUL:
        return []
    words = f" {' '.join(tokens)} "
    return [
        query.id
        for query in queries
        if any(run in words for run in _runs(query))
        or any(piece in close for piece in _pieces(query))
    ]


def _asked(query: Query) -> list[str]:
    """The turns of the user, folded."""
    turns = [query.text, *(turn.text for turn in query.history if turn.role == "user")]
    return [_folded(turn) for turn in turns]


def _runs(query: Query) -> Iterator[str]:
    for turn in _asked(query):
        tokens = _TOKEN.findall(turn)
        for at in range(len(tokens) - WORDS + 1):
            yield f" {' '.join(tokens[at : at + WORDS])} "


def _pieces(query: Query) -> Iterator[str]:
    for turn in _asked(query):
        signs = "".join(turn.split())
        pieces = (signs[at : at + HANGUL] for at in range(len(signs) - HANGUL + 1))
        yield from filter(_IS_HANGUL.search, pieces)


def _ids(text: str, queries: Sequence[Query]) -> list[str]:
    found = [
        query.id
        for query in queries
        if query.id in text and re.search(rf"(?<!\w){re.escape(query.id)}(?!\w)", text)
    ]
    long = [name for name in found if len(name) >= _LONG_ID]
    return found if len(found) >= _SHORT_IDS else long


def _counted(ids: Sequence[str], what: str) -> str:
    return f'{len(ids)} {what}{"s" if len(ids) > 1 else ""} (such as "{ids[0]}")'
