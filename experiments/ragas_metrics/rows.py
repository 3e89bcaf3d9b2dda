"""What a metric of answers reads of one query, and the table that it fills."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.rag.evidence_loss import required_documents

if TYPE_CHECKING:
    from experiments.rag.answered import Answered
    from experiments.schema import Dataset

PROMPT, RANKING = "prompt", "ranking"
ORDERS = (PROMPT, RANKING)
"""The passages as the model read them, and the same passages best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One query with what was shown, said and expected; texts in NFC.

    answer: None where the call failed, which is no empty answer.
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


def answer_rows(
    dataset: Dataset, stories: Sequence[Answered], rel_level: int = 1
) -> list[AnswerRow]:
    """The rows of a run, in the order of its stories.

    rel_level: from which grade on a document is needed.
    """
    required = required_documents(dataset, rel_level)
    needed = _needed_texts(dataset, required)
    references = {query.id: query.answer for query in dataset.queries}
    return [
        _row(one, references[one.id], sorted(required.get(one.id, ())), needed.get(one.id, ()))
        for one in stories
    ]


def _row(
    story: Answered, reference: str | None, required: Sequence[str], needed: Sequence[str]
) -> AnswerRow:
    shown = story.assembled.manifest.selected
    said = story.answer.text
    return AnswerRow(
        id=story.id,
        question=readable(story.question),
        answer=None if said is None else readable(said),
        reference=readable(reference) if reference and reference.strip() else None,
        contexts=tuple(readable(one.text) for one in shown),
        ranks=tuple(one.rank for one in shown),
        context_ids=tuple(one.document for one in shown),
        reference_contexts=tuple(map(readable, needed)),
        reference_ids=tuple(required),
    )


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


def readable(text: str) -> str:
    """In NFC, with a question mark for what no file can hold (lone surrogates)."""
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))
