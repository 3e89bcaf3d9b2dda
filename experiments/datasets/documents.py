"""Reading the corpus of a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from experiments.datasets.records import Record, check_repeats, read_records
from experiments.schema import Document


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a file, in its order. dropped: ids of those that are empty."""

    file: Path
    documents: tuple[Document, ...]
    dropped: frozenset[str]


def read_documents(
    path: Path,
    notes: list[str],
    ids: tuple[str, ...] = ("id", "_id"),
    text: str = "text",
) -> Corpus:
    """The documents of a JSON Lines file; `ids` and `text` name its fields.

    A "title" is read where there is one; all other fields become the document's metadata.
    A document without a letter is dropped and counted; one that has only a title gets that as
    its text, so that every chunker can find it.
    Raises ValueError: what `read_records` raises; a missing field, a repeated id, only empty ones.
    """
    records = read_records(path, notes)
    found = [_document(record, ids, text) for record in records]
    places = zip(records, found, strict=True)
    check_repeats(((record.line, document.id) for record, document in places), "document")
    empty = frozenset(document.id for document in found if not document.text.strip())
    if len(empty) == len(found):
        raise ValueError(f'{path}: every document is empty; "{text}" must hold its text.')
    if empty:
        notes.append(f"{path.name}: empty documents dropped: {len(empty)}.")
    bare = sum(_has_title_only(record, text) for record in records)
    if bare:
        notes.append(f"{path.name}: documents with a title alone, now their text: {bare}.")
    return Corpus(path, tuple(d for d in found if d.id not in empty), empty)


def _document(record: Record, ids: tuple[str, ...], text: str) -> Document:
    known = {record.first(*ids), text, "title", "metadata"}
    rest = {name: value for name, value in record.fields.items() if name not in known}
    metadata = {**record.mapping("metadata"), **rest}
    title = record.optional_text("title") or ""
    if _has_title_only(record, text):
        return Document(record.id(*ids), title, "", metadata)
    return Document(record.id(*ids), record.text(text), title, metadata)


def _has_title_only(record: Record, text: str) -> bool:
    title = record.optional_text("title") or ""
    return not record.text(text).strip() and bool(title.strip())
