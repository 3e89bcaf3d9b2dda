"""Contextual retrieval: every chunk is searched with a note that places it in its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from llama_index.core.schema import BaseNode, TextNode

from retrievers.enrich import TITLE, searched_with

CONTEXT = "chunk_context"
"""The key under which a chunk carries its note; "" where there is nothing to add."""


class Excerpt(NamedTuple):
    """A chunk and where it stands.

    document: the text of its document, as all its chunks together tell it.
    start: character of `document` at which the chunk begins.
    place, total: it is chunk number `place` (from 1) of so many.
    """

    title: str
    document: str
    text: str
    start: int
    place: int
    total: int


class NoteWriter(Protocol):
    """Anything that says what a chunk is about, in the light of its document."""

    def write(self, excerpts: Sequence[Excerpt]) -> Sequence[str | None]:
        """One note a chunk; None where it could not be written.

        excerpts: document by document, in the order of the text.
        """
        ...


class Contextual:
    """A note and the chunk are embedded and matched by keywords; prompts show the chunk alone.

    Anthropic, "Introducing Contextual Retrieval", 2024. The text of a chunk, its offsets and what a
    prompt shows of it stay as they are. A chunk without a note is searched by its text alone.
    writer: `ModelNotes` asks a model, `OfflineNotes` needs none.
    """

    def __init__(self, writer: NoteWriter) -> None:
        self.writer = writer

    def enrich(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        """Copies with a note each, in the order of `nodes`."""
        excerpts = excerpts_of(nodes)
        notes = self.writer.write(list(excerpts.values()))
        found = dict(zip(excerpts, notes, strict=True))
        return [_with_note(node, found[place]) for place, node in enumerate(nodes)]

    def unfinished(self, nodes: Sequence[BaseNode]) -> list[str]:
        """Ids of the enriched nodes whose note could not be written."""
        return [node.node_id for node in nodes if CONTEXT not in node.metadata]

    def notes_on(self, nodes: Sequence[BaseNode]) -> list[str]:
        """What a reader should know of enriched nodes, a sentence each."""
        lost = len(self.unfinished(nodes))
        held = Counter(
            (_document_of(node), note) for node in nodes if (note := node.metadata.get(CONTEXT))
        )
        shared = sum(count for count in held.values() if count > 1)
        return [
            *[f"enrich: {lost} of {len(nodes)} chunks have no note and are searched by their text."]
            * bool(lost),
            *[f"enrich: {shared} notes are the same as another one of their document."]
            * bool(shared),
        ]


def _with_note(node: BaseNode, note: str | None) -> BaseNode:
    if note is None:
        return searched_with(node, set())
    hidden = [*node.excluded_llm_metadata_keys, CONTEXT]
    update = {
        "metadata": {**node.metadata, CONTEXT: note},
        "excluded_llm_metadata_keys": list(dict.fromkeys(hidden)),
    }
    return searched_with(node.model_copy(update=update), {CONTEXT})


def excerpts_of(nodes: Sequence[BaseNode]) -> Mapping[int, Excerpt]:
    """Place of a node -> its excerpt; the chunks of one document follow one another.

    Nodes that know no document are documents of their own.
    """
    documents: dict[str, list[int]] = {}
    for place, node in enumerate(nodes):
        documents.setdefault(_document_of(node), []).append(place)
    found: dict[int, Excerpt] = {}
    for places in documents.values():
        places.sort(key=lambda place: (_start_of(nodes[place]), place))
        chunks = [nodes[place] for place in places]
        text, starts = _stitched(chunks)
        for number, (place, node, start) in enumerate(zip(places, chunks, starts, strict=True), 1):
            title = str(node.metadata.get(TITLE) or "").strip()
            own = _text_of(node)
            found[place] = Excerpt(title, text, own, start, number, len(places))
    return found


def _stitched(chunks: Sequence[BaseNode]) -> tuple[str, list[int]]:
    """The text that chunks, in order, tell together, and where each begins in it.

    What two share is told once; a line break stands for blanks that no chunk holds.
    """
    pieces: list[str] = []
    starts: list[int] = []
    length, reached = 0, None
    for chunk in chunks:
        text, start = _text_of(chunk), _start_of(chunk)
        shared = max(0, reached - start) if reached is not None and start >= 0 else 0
        if pieces and (start < 0 or (reached is not None and start > reached)):
            pieces.append("\n")
            length += 1
        starts.append(length - shared)
        pieces.append(text[shared:])
        length += len(pieces[-1])
        reached = max(reached or 0, start + len(text)) if start >= 0 else None
    return "".join(pieces), starts


def _document_of(node: BaseNode) -> str:
    return node.ref_doc_id or node.node_id


def _text_of(node: BaseNode) -> str:
    return node.text if isinstance(node, TextNode) else node.get_content()


def _start_of(node: BaseNode) -> int:
    """The character of its document at which a chunk begins, -1 where it does not know."""
    start = getattr(node, "start_char_idx", None)
    return -1 if start is None else start
