"""What holds between the files of a dataset: every label names something that is there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from experiments.datasets.documents import Corpus
from experiments.datasets.qrels import Label
from experiments.datasets.queries import Questions
from experiments.schema import Document, Qrels, Query, Span


def checked_qrels(
    labels: Sequence[Label], corpus: Corpus, questions: Questions, notes: list[str]
) -> Qrels:
    """The labels as a mapping; those of empty documents are dropped and counted.

    Raises ValueError: a label for a query or a document that is not there.
    """
    query_ids = {query.id for query in questions.queries}
    known = {document.id for document in corpus.documents} | corpus.dropped
    _refuse([x for x in labels if x.query not in query_ids], "query", questions.file.name)
    _refuse([x for x in labels if x.document not in known], "document", corpus.file.name)
    kept = [label for label in labels if label.document not in corpus.dropped]
    if len(kept) < len(labels):
        notes.append(f"Labels of empty documents dropped: {len(labels) - len(kept)}.")
    qrels: dict[str, dict[str, int]] = {}
    for label in kept:
        qrels.setdefault(label.query, {})[label.document] = label.grade
    return qrels


def only_labelled(
    questions: Questions, labels: Sequence[Label], split: str, notes: list[str]
) -> tuple[Query, ...]:
    """The queries that a split's label file names: the others belong to other splits."""
    named = {label.query for label in labels}
    kept = tuple(query for query in questions.queries if query.id in named)
    if len(kept) < len(questions.queries):
        notes.append(
            f"Queries without a label in {split} left out: {len(questions.queries) - len(kept)} "
            f"of {len(questions.queries)}."
        )
    return kept


def fingerprint(
    corpus: Iterable[Document],
    queries: Iterable[Query],
    qrels: Qrels | None,
    spans: Mapping[str, Sequence[Span]] | None,
) -> str:
    """sha256 over documents, queries, labels and spans, in their order; the name is left out."""
    digest = hashlib.sha256()
    for document in corpus:
        _add(digest, [document.id, document.title, document.text, dict(document.metadata)])
    for query in queries:
        turns = [[turn.role, turn.text] for turn in query.history]
        _add(digest, [query.id, query.text, turns, query.answer, dict(query.tags)])
    _add(digest, qrels and [[query, list(grades.items())] for query, grades in qrels.items()])
    for query_id, gold in (spans or {}).items():
        _add(digest, [query_id, [[span.document, span.start, span.end] for span in gold]])
    return digest.hexdigest()


def _refuse(labels: Sequence[Label], kind: str, file: str) -> None:
    if labels:
        name = labels[0].query if kind == "query" else labels[0].document
        raise labels[0].line.error(
            f'the {kind} "{name}" is not in {file} ({len(labels)} such labels in this file).'
        )


def _add(digest: hashlib._Hash, value: object) -> None:
    digest.update(json.dumps(value, sort_keys=True, default=str).encode() + b"\n")
