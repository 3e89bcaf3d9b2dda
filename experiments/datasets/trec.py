"""The layout of TREC's ad hoc tracks, with the corpus as JSON Lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from experiments.datasets.documents import Corpus, read_documents
from experiments.datasets.layout import Layout
from experiments.datasets.queries import Questions, read_topics


@dataclass(frozen=True, kw_only=True)
class Trec(Layout):
    """corpus.jsonl (id, text, maybe title), topics.tsv (id, tab, text), maybe qrels.txt."""

    files: ClassVar[tuple[str, ...]] = ("corpus.jsonl", "topics.tsv")

    def corpus_of(self, folder: Path, notes: list[str]) -> Corpus:
        return read_documents(folder / "corpus.jsonl", notes)

    def questions_of(self, folder: Path, notes: list[str]) -> Questions:
        return read_topics(folder / "topics.tsv", notes)
