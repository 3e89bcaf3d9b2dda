"""All scores of a run of answers, side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from experiments.metrics.answers import NO_REFERENCES, score_answers
from experiments.rag.answer_rows import answer_rows, score_visible
from experiments.rag.evidence_loss import stage_recalls
from experiments.rag.stories import beside

if TYPE_CHECKING:
    from experiments.metrics.per_query import PerQuery
    from experiments.pipeline import Outcome
    from experiments.rag.answer_rows import AnswerMetric
    from experiments.schema import Dataset
    from generation.answers import Answer
    from generation.context import Assembled

NO_LABELS = "The dataset has no labels, so it is not known where evidence was lost."


def score_run(
    dataset: Dataset,
    outcome: Outcome,
    assembled: Sequence[Assembled],
    answers: Sequence[Answer],
    *,
    metrics: Sequence[AnswerMetric],
    top_k: int,
    rel_level: int,
    shown: Collection[str],
) -> PerQuery:
    """What can be scored: recalls with labels, answers with references, and the metrics.

    metrics: what scores the answers besides; they see the queries of `shown` alone. Their columns
        come first, for the score that counts is the last one.
    top_k: passages of the ranking that a prompt may show.
    rel_level: from which grade on a document is needed.
    """
    found = []
    if metrics:
        rows = answer_rows(dataset, assembled, answers, rel_level)
        found += [score_visible(metric, rows, shown) for metric in metrics]
    if dataset.qrels is not None or dataset.spans is not None:
        recalls = stage_recalls(dataset, outcome, assembled, top_k=top_k, rel_level=rel_level)
        found.append(recalls)
    ids = tuple(query.id for query in dataset.queries)
    if any(query.answer for query in dataset.queries):
        references = [[query.answer] if query.answer else [] for query in dataset.queries]
        found.append(score_answers(ids, [one.text for one in answers], references))
    return beside(ids, found)


def unscored(dataset: Dataset) -> list[str]:
    """What is skipped, and why."""
    labels = dataset.qrels is not None or dataset.spans is not None
    answers = any(query.answer for query in dataset.queries)
    return ([] if labels else [NO_LABELS]) + ([] if answers else [NO_REFERENCES])
