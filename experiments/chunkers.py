"""The chunkers: LlamaIndex text splitters that also tell where each chunk stands in the text."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Protocol, runtime_checkable

import numpy as np
from llama_index.core.node_parser import SentenceSplitter, TextSplitter

from retrievers.sentences import split_sentences
from retrievers.tokens import encoding as encoding_named
from retrievers.tokens import tokens_of

logger = logging.getLogger(__name__)

Offsets = Sequence[tuple[int, int]]
"""Characters [start, end) of each chunk, in order; chunks of blanks alone are left out."""


@runtime_checkable
class SpanSplitter(Protocol):
    """A splitter that knows its offsets, so that repeated text cannot mislead anybody."""

    def spans(self, text: str) -> Offsets: ...


@runtime_checkable
class CorpusSplitter(Protocol):
    """A splitter that has to see all texts before it cuts one."""

    def spans_many(self, texts: Sequence[str]) -> list[Offsets]: ...


class WholeDocuments(TextSplitter):
    """`chunker=none`: one document is one chunk."""

    def spans(self, text: str) -> Offsets:
        return [(0, len(text))] if text.strip() else []

    def split_text(self, text: str) -> list[str]:
        return _texts(text, self.spans(text))


class FixedTokens(TextSplitter):
    """`chunker=fixed_tokens`: windows of at most `chunk_size` tokens.

    Neighbours share at most `chunk_overlap` tokens. A window begins and ends between two tokens
    and never inside a character, so one can be a few tokens short; a character of more tokens
    than `chunk_size` is a window of its own.
    """

    chunk_size: int
    chunk_overlap: int
    encoding: str

    def __init__(
        self, *, chunk_size: int = 256, chunk_overlap: int = 32, encoding: str = "o200k_base"
    ) -> None:
        _check_sizes(chunk_size, chunk_overlap)
        super().__init__(  # type: ignore[call-arg]
            chunk_size=chunk_size, chunk_overlap=chunk_overlap, encoding=encoding
        )

    def spans(self, text: str) -> Offsets:
        places, characters = _cuts(text, self.encoding)
        windows, first, last = [], 0, len(places) - 1
        while first < last:
            limit = places[first] + self.chunk_size
            end = max(first + 1, int(np.searchsorted(places, limit, side="right")) - 1)
            windows.append((int(characters[first]), int(characters[end])))
            if end == last:
                break
            # The next window must also have room for the character that follows this one.
            start = max(places[end] - self.chunk_overlap, places[end + 1] - self.chunk_size)
            first = max(first + 1, min(end, int(np.searchsorted(places, start))))
        return [(start, end) for start, end in windows if text[start:end].strip()]

    def split_text(self, text: str) -> list[str]:
        return _texts(text, self.spans(text))


class Sentences(SentenceSplitter):
    """`chunker=sentence`: LlamaIndex's SentenceSplitter, with Korean sentences and offsets.

    Whole sentences are packed up to `chunk_size` tokens; one that is longer is cut at commas, then
    at blanks, then between characters. A character of more tokens than `chunk_size` is kept whole,
    with a warning. Neighbours share whole pieces of at most `chunk_overlap` tokens. Metadata is
    never counted.
    """

    encoding: str = "o200k_base"

    def __init__(
        self, *, chunk_size: int = 256, chunk_overlap: int = 0, encoding: str = "o200k_base"
    ) -> None:
        _check_sizes(chunk_size, chunk_overlap)
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            tokenizer=partial(tokens_of, encoding),
            chunking_tokenizer_fn=split_sentences,
        )
        self.encoding = encoding

    def spans(self, text: str) -> Offsets:
        pieces = self._split(text, self.chunk_size)
        long = sum(piece.token_size > self.chunk_size for piece in pieces)
        if long:
            logger.warning("%d characters are longer than chunk_size=%d.", long, self.chunk_size)
        # Pieces are merged by number: a text that repeats itself would not tell them apart.
        numbered = [
            replace(piece, text=f"{number},", token_size=min(piece.token_size, self.chunk_size))
            for number, piece in enumerate(pieces)
        ]
        ends = [0, *accumulate(len(piece.text) for piece in pieces)]
        merged = [chunk.split(",") for chunk in self._merge(numbered, self.chunk_size)]
        spans = (stripped(text, ends[int(c[0])], ends[int(c[-2]) + 1]) for c in merged)
        return advancing(spans)

    def split_text(self, text: str) -> list[str]:
        return _texts(text, self.spans(text))

    def split_text_metadata_aware(self, text: str, metadata_str: str) -> list[str]:
        return self.split_text(text)


def _texts(text: str, spans: Offsets) -> list[str]:
    return [text[start:end] for start, end in spans]


def advancing(spans: Iterable[tuple[int, int]]) -> Offsets:
    """The spans without those that add nothing but blanks to the ones before them."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if start < end and (not kept or end > kept[-1][1]):
            kept.append((start, end))
    return kept


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the blanks at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _cuts(text: str, encoding: str) -> tuple[np.ndarray, np.ndarray]:
    """Where the text can be cut: numbers of tokens before each place, and of characters."""
    pieces = encoding_named(encoding).decode_tokens_bytes(tokens_of(encoding, text))
    data = np.frombuffer(b"".join(pieces), dtype=np.uint8)
    begins = np.append((data & 0xC0) != 0x80, True)  # UTF-8: 10xxxxxx continues a character
    ends = np.cumsum([0, *map(len, pieces)])
    places = np.flatnonzero(begins[ends])
    before = np.concatenate([[0], np.cumsum(begins[:-1])])
    return places, before[ends[places]]


def _check_sizes(chunk_size: int, chunk_overlap: int) -> None:
    whole = isinstance(chunk_size, int) and isinstance(chunk_overlap, int)
    if not (whole and 0 <= chunk_overlap < chunk_size):
        raise ValueError(
            f"chunk_size={chunk_size} and chunk_overlap={chunk_overlap} do not fit: "
            "whole numbers with 0 <= chunk_overlap < chunk_size are wanted."
        )
