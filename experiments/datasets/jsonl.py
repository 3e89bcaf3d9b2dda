"""The simple layout for one's own files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from experiments.datasets.documents import Corpus, read_documents
from experiments.datasets.layout import Layout
from experiments.datasets.queries import Questions, read_queries


@dataclass(frozen=True, kw_only=True)
class JsonLines(Layout):
    """corpus.jsonl (id, text, maybe title), queries.jsonl (id, text), maybe qrels.tsv.

    A query may hold a conversation ("messages", or "history" before its text), a reference
    "answer" and "tags". "_id" is read where there is no "id".
    """

    files: ClassVar[tuple[str, ...]] = ("corpus.jsonl", "queries.jsonl")

    def corpus_of(self, folder: Path, notes: list[str]) -> Corpus:
        return read_documents(folder / "corpus.jsonl", notes)

    def questions_of(self, folder: Path, notes: list[str]) -> Questions:
        return read_queries(folder / "queries.jsonl", notes)
