"""At which stage the documents that a question needs were lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.candidates import document_ranking
from experiments.metrics.per_query import PerQuery
from generation.evidence import assembly_recall

if TYPE_CHECKING:
    from experiments.pipeline import Outcome
    from experiments.schema import Dataset
    from generation.context import Assembled

STAGES = ("candidate_recall", "ranking_recall", "assembly_recall")
_LOST_AT = ("retrieval", "ranking", "assembly")


def required_documents(dataset: Dataset, rel_level: int = 1) -> dict[str, set[str]]:
    """Query id -> the documents with a label of that grade, or with a gold span."""
    if dataset.spans is not None:
        return {query: {span.document for span in gold} for query, gold in dataset.spans.items()}
    return {
        query: {document for document, grade in judged.items() if grade >= rel_level}
        for query, judged in (dataset.qrels or {}).items()
    }


def stage_recalls(
    dataset: Dataset,
    outcome: Outcome,
    assembled: Sequence[Assembled],
    *,
    top_k: int,
    rel_level: int = 1,
) -> PerQuery:
    """Three recalls of the required documents, 0 to 1, side by side; none calls a model.

    candidate_recall: among all that the retriever found.
    ranking_recall: among the first `top_k` nodes after gate and postprocessors.
    assembly_recall: in the prompt. It passes ranking_recall only where a passage before the last
        place did not fit the budget, and a lower one did.
    NaN for a query that requires nothing.
    """
    required = required_documents(dataset, rel_level)
    found = _documents(outcome, outcome.retrieved.depth)
    ranked = _documents(outcome, top_k, ranked=True)
    values = np.full((len(assembled), len(STAGES)), np.nan)
    for row, one in enumerate(assembled):
        if wanted := required.get(one.manifest.task_id):
            values[row] = (
                len(wanted & found[row]) / len(wanted),
                len(wanted & ranked[row]) / len(wanted),
                assembly_recall(one.manifest.selected, sorted(wanted)),
            )
    return PerQuery(
        tuple(one.manifest.task_id for one in assembled),
        metrics=STAGES,
        values=values,
        higher_is_better=(True,) * len(STAGES),
    )


def lost_at(recalls: PerQuery) -> list[str]:
    """For each query the first stage at which a required document was lost, "" where none was."""
    columns = np.stack([recalls.column(stage) for stage in STAGES], axis=1)
    return [
        next((stage for stage, value in zip(_LOST_AT, row, strict=True) if value < 1), "")
        for row in columns.tolist()
    ]


def _documents(outcome: Outcome, depth: int, *, ranked: bool = False) -> list[set[str]]:
    ranking = (outcome.ranked if ranked else outcome.retrieved).head(depth)
    documents = document_ranking(ranking, outcome.nodes, max(depth, 1))
    return [set(documents.ids(row)) for row in range(len(documents.query_ids))]
