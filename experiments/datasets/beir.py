"""The layout of BEIR (Thakur et al., NeurIPS 2021 Datasets and Benchmarks)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from experiments.datasets.documents import Corpus, read_documents
from experiments.datasets.layout import Layout
from experiments.datasets.queries import Questions, read_queries

_IDS = ("_id", "id")


@dataclass(frozen=True, kw_only=True)
class Beir(Layout):
    """corpus.jsonl (_id, title, text), queries.jsonl (_id, text), qrels/<labels>.tsv.

    queries.jsonl holds the queries of all splits: those without a label in the chosen file are
    left out, and a note says how many.
    """

    files: ClassVar[tuple[str, ...]] = ("corpus.jsonl", "queries.jsonl")

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return super().recognises(folder) and any((folder / "qrels").glob("*.tsv"))

    def corpus_of(self, folder: Path, notes: list[str]) -> Corpus:
        return read_documents(folder / "corpus.jsonl", notes, ids=_IDS)

    def questions_of(self, folder: Path, notes: list[str]) -> Questions:
        return read_queries(folder / "queries.jsonl", notes, ids=_IDS)
