"""The layout of the Korean scientific question answering retrieval competition."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from experiments.datasets.documents import Corpus, read_documents
from experiments.datasets.layout import Layout
from experiments.datasets.paths import existing_file
from experiments.datasets.queries import Questions, read_queries

DOCUMENTS = "documents.jsonl"
EVALUATION = "eval.jsonl"


@dataclass(frozen=True, kw_only=True)
class ScienceQA(Layout):
    """documents.jsonl (docid, src, content), eval.jsonl (eval_id, msg), maybe qrels.tsv.

    corpus: the documents file; None takes documents.jsonl in the folder, else the one in the
        folder above, so that a second set of questions can lie below its corpus. Such a set stands
        for the questions above it, unless `target` names others.
    """

    corpus: str | None = None

    files: ClassVar[tuple[str, ...]] = (EVALUATION,)

    def corpus_of(self, folder: Path, notes: list[str]) -> Corpus:
        file = self._documents(folder)
        if file.parent.resolve() != folder.resolve():
            notes.append(f"The corpus is {file}: the folder {folder.name} lies apart from it.")
        return read_documents(file, notes, ids=("docid",), text="content")

    def questions_of(self, folder: Path, notes: list[str]) -> Questions:
        return read_queries(folder / EVALUATION, notes, ids=("eval_id",), messages="msg")

    def target_folder(self, folder: Path) -> Path | None:
        above = self._documents(folder).parent
        named = super().target_folder(folder)
        if named is not None or self.corpus is not None or above.resolve() == folder.resolve():
            return named
        return above if (above / EVALUATION).is_file() else None

    def _documents(self, folder: Path) -> Path:
        if self.corpus is not None:
            return existing_file(Path(str(self.corpus)).expanduser())
        own, above = folder / DOCUMENTS, folder.resolve().parent / DOCUMENTS
        return above if above.is_file() and not own.exists() else own
