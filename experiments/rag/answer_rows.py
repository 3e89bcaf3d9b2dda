"""What a metric of answers reads of one query."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from experiments.metrics.answers import without_citations
from experiments.rag.contexts import question_text
from experiments.rag.evidence_loss import required_documents
from experiments.storable_text import storable_text

if TYPE_CHECKING:
    from experiments.metrics.per_query import PerQuery
    from experiments.schema import Dataset
    from generation.answers import Answer
    from generation.context import Assembled

PROMPT, RANKING = "prompt", "ranking"
ORDERS = (PROMPT, RANKING)
"""The passages as the model read them, and the same passages best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One query with what was shown, said and expected; texts in NFC.

    answer: without citations such as [1]; None where the call failed, which is no empty answer.
    reference: None where the dataset has none.
    contexts: the passages in the order of the prompt.
    ranks: of each of them, 0 = best; no rank stands twice.
    context_ids: the document of each of them.
    reference_contexts, reference_ids: texts and ids of the documents that the query needs; of a
        set that is labelled by spans, the texts of the spans. () where nothing is labelled.
    """

    id: str
    question: str
    answer: str | None
    reference: str | None
    contexts: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    context_ids: tuple[str, ...] = ()
    reference_contexts: tuple[str, ...] = ()
    reference_ids: tuple[str, ...] = ()

    def texts(self, order: str) -> list[str]:
        """The passages in one of `ORDERS`."""
        if order == PROMPT:
            return list(self.contexts)
        ranked = zip(self.ranks, self.contexts, strict=True)
        return [text for _, text in sorted(ranked)]

    @property
    def has_context(self) -> bool:
        """Whether any passage holds more than blanks."""
        return any(text.strip() for text in self.contexts)


class AnswerMetric(Protocol):
    """Scores answers and what they were made from."""

    def score(self, rows: Sequence[AnswerRow]) -> PerQuery:
        """One row a query, in their order; NaN where there is no score, counted in the notes."""
        ...


def no_metric() -> None:
    """`answer_metrics=none`, `judge=none`: nothing beside the scores that every run has."""


def answer_rows(
    dataset: Dataset,
    assembled: Sequence[Assembled],
    answers: Sequence[Answer],
    rel_level: int = 1,
) -> list[AnswerRow]:
    """One row a query of the dataset, in its order.

    assembled, answers: [q].  rel_level: from which grade on a document is needed.
    """
    required = required_documents(dataset, rel_level)
    needed = _needed_texts(dataset, required)
    return [
        AnswerRow(
            id=query.id,
            question=readable(question_text(query)),
            answer=None if answer.text is None else _said(answer.text),
            reference=_reference(query.answer),
            contexts=tuple(readable(one.text) for one in prompt.manifest.selected),
            ranks=tuple(one.rank for one in prompt.manifest.selected),
            context_ids=tuple(one.document for one in prompt.manifest.selected),
            reference_contexts=tuple(map(readable, needed.get(query.id, ()))),
            reference_ids=tuple(sorted(required.get(query.id, ()))),
        )
        for query, prompt, answer in zip(dataset.queries, assembled, answers, strict=True)
    ]


def score_visible(
    metric: AnswerMetric, rows: Sequence[AnswerRow], visible: Collection[str]
) -> PerQuery:
    """The scores of the visible queries, NaN for the others: nobody asks a judge about those."""
    shown = [place for place, row in enumerate(rows) if row.id in visible]
    found = metric.score([rows[place] for place in shown])
    values = np.full((len(rows), len(found.metrics)), np.nan)
    values[shown] = found.values
    return replace(found, query_ids=tuple(row.id for row in rows), values=values)


def _needed_texts(dataset: Dataset, required: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Query id -> the texts that it needs; a labelled document that no corpus has gives none."""
    texts = {one.id: one.text for one in dataset.corpus}
    if dataset.spans is not None:
        return {
            query: [texts[one.document][one.start : one.end] for one in gold]
            for query, gold in dataset.spans.items()
        }
    return {
        query: [texts[name] for name in sorted(names) if name in texts]
        for query, names in required.items()
    }


def _said(text: str) -> str:
    """An answer without citations; one that has none is left letter for letter."""
    bare = without_citations(text)
    return readable(text if bare == text else " ".join(bare.split()))


def _reference(text: str | None) -> str | None:
    return readable(text) if text and text.strip() else None


def readable(text: str) -> str:
    """In NFC, with a question mark for what no file can hold (lone surrogates)."""
    return unicodedata.normalize("NFC", storable_text(text))
