"""All scores of a run of answers, side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from experiments.metrics.answers import NO_REFERENCES, score_answers
from experiments.rag.answer_rows import answer_rows, score_visible
from experiments.rag.evidence_loss import STAGES, stage_recalls
from experiments.rag.stories import beside

if TYPE_CHECKING:
    from experiments.metrics.per_query import PerQuery
    from experiments.pipeline import Outcome
    from experiments.rag.answer_rows import AnswerMetric
    from experiments.schema import Dataset
    from generation.answers import Answer
    from generation.context import Assembled

NO_LABELS = "The dataset has no labels, so it is not known where evidence was lost."


def known_before(
    dataset: Dataset,
    outcome: Outcome,
    assembled: Sequence[Assembled],
    *,
    top_k: int,
    rel_level: int,
) -> PerQuery | None:
    """The recalls of each stage, which no model is needed for; None without labels.

    top_k: passages of the ranking that a prompt may show.
    rel_level: from which grade on a document is needed.
    """
    if dataset.qrels is None and dataset.spans is None:
        return None
    return stage_recalls(dataset, outcome, assembled, top_k=top_k, rel_level=rel_level)


def recall_sentence(recalls: PerQuery, top_k: int, shown: Collection[str]) -> str:
    """The recalls for people, over the queries of `shown`."""
    found, ranked, read = (recalls.mean(shown)[stage] for stage in STAGES)
    if found.mean is None or ranked.mean is None or read.mean is None:
        return "No question has a document that it needs."
    return (
        f"Of the documents that a question needs, on average {found.mean:.0%} were found, "
        f"{ranked.mean:.0%} are among the first {top_k}, {read.mean:.0%} stand in its prompt "
        f"({found.n_scored} questions)."
    )


def score_run(
    dataset: Dataset,
    assembled: Sequence[Assembled],
    answers: Sequence[Answer],
    recalls: PerQuery | None,
    *,
    metrics: Sequence[AnswerMetric],
    rel_level: int,
    shown: Collection[str],
) -> PerQuery:
    """What can be scored: recalls with labels, answers with references, and the metrics.

    metrics: what scores the answers besides; they see the queries of `shown` alone. Their columns
        come first, for the score that counts is the last one.
    """
    found = []
    if metrics:
        rows = answer_rows(dataset, assembled, answers, rel_level)
        found += [score_visible(metric, rows, shown) for metric in metrics]
    if recalls is not None:
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
