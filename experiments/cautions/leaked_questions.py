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
    parts: dict[str, list[str]] = defaultdict(list)
    for name, text in _texts(settings, ""):
        parts[name].append(text)
    texts = {name: "\n".join(values) for name, values in parts.items()}
    held, told = _held(texts, queries), []
    for name, text in texts.items():
        if held[name]:
            told.append(
                f"The option {name} holds words of {_counted(held[name], 'evaluation question')}: "
                "take them out, or its scores are not those of unseen questions."
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


def _held(texts: Mapping[str, str], queries: Sequence[Query]) -> dict[str, list[str]]:
    """The queries of which each text has a long sequence."""
    owners: dict[str, set[str]] = defaultdict(set)
    for name, text in texts.items():
        for sequence in filter(_counts, _sequences(text)):
            owners[sequence].add(name)
    held: dict[str, list[str]] = {name: [] for name in texts}
    for query in queries if owners else ():
        turns = [query.text, *(turn.text for turn in query.history if turn.role == "user")]
        sequences = (sequence for turn in turns for sequence in _sequences(turn))
        for name in {name for one in sequences for name in owners.get(one, ())}:
            held[name].append(query.id)
    return held


def _sequences(text: str) -> Iterator[str]:
    """Each 8 words in a row, with blanks between them, and each 20 signs without any."""
    folded = unicodedata.normalize("NFC", text).casefold()
    tokens, signs = _TOKEN.findall(folded), "".join(folded.split())
    for at in range(len(tokens) - WORDS + 1):
        yield " ".join(tokens[at : at + WORDS])
    for at in range(len(signs) - HANGUL + 1):
        yield signs[at : at + HANGUL]


def _counts(sequence: str) -> bool:
    return " " in sequence or _IS_HANGUL.search(sequence) is not None


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
