"""The layout of sets labelled by character spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar

from experiments.datasets.documents import Corpus, read_documents
from experiments.datasets.layout import Layout, Spans
from experiments.datasets.queries import Questions, read_queries
from experiments.datasets.records import Record, read_records
from experiments.schema import Span

_IDS = ("id", "_id")


@dataclass(frozen=True, kw_only=True)
class SpanJsonLines(Layout):
    """corpus.jsonl (id, text); queries.jsonl (id, text, corpus_id, references); maybe qrels.tsv.

    references: [{"start_index", "end_index", "content"}], characters [start, end) of the text of
    the document corpus_id; a reference may name another document with a corpus_id of its own.
    Without a label file a document is relevant (grade 1) to a query that has a span in it.
    """

    files: ClassVar[tuple[str, ...]] = ("corpus.jsonl", "queries.jsonl")

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return super().recognises(folder) and _mentions(folder / "queries.jsonl", '"references"')

    def corpus_of(self, folder: Path, notes: list[str]) -> Corpus:
        return read_documents(folder / "corpus.jsonl", notes)

    def questions_of(self, folder: Path, notes: list[str]) -> Questions:
        return read_queries(folder / "queries.jsonl", notes)

    def spans_of(self, folder: Path, corpus: Corpus, notes: list[str]) -> Spans:
        texts = {document.id: document.text for document in corpus.documents}
        texts |= dict.fromkeys(corpus.dropped, "")
        spans: dict[str, list[Span]] = {}
        other = dropped = 0
        for record in read_records(folder / "queries.jsonl", notes):
            gold = spans.setdefault(record.id(*_IDS), [])
            for reference in record.objects("references"):
                document = _document(record, reference, texts)
                if document in corpus.dropped:
                    dropped += 1
                    continue
                gold.append(_span(reference, document, texts[document]))
                other += not _agrees(reference, texts[document], gold[-1])
        total = sum(map(len, spans.values()))
        if other:
            notes.append(f"Spans that hold other text than their content says: {other} of {total}.")
        if dropped:
            notes.append(f"Spans of empty documents dropped: {dropped}.")
        return spans


def _document(record: Record, reference: Record, texts: Mapping[str, str]) -> str:
    owner = reference if "corpus_id" in reference.fields else record
    name = owner.id("corpus_id")
    if name not in texts:
        raise record.line.error(f'the document "{name}" of a reference is not in corpus.jsonl.')
    return name


def _span(reference: Record, document: str, text: str) -> Span:
    start, end = reference.integer("start_index"), reference.integer("end_index")
    if not 0 <= start < end <= len(text):
        raise reference.line.error(
            f"the span [{start}, {end}) does not lie in the {len(text)} characters of "
            f'document "{document}".'
        )
    return Span(document, start, end)


def _agrees(reference: Record, text: str, span: Span) -> bool:
    content = reference.optional_text("content")
    return content is None or content == text[span.start : span.end]


def _mentions(path: Path, field: str) -> bool:
    """Whether one of the first lines holds the field; a look, not a reading."""
    with path.open(encoding="utf-8", errors="replace", newline="\n") as lines:
        return any(field in line for line in islice(lines, 5))
