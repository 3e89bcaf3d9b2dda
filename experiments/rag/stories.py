"""Everything that a run made, put together query by query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.metrics.per_query import PerQuery
from experiments.rag.answered import Answered
from experiments.rag.contexts import question_text
from experiments.rag.evidence_loss import required_documents

if TYPE_CHECKING:
    from experiments.pipeline import Outcome
    from experiments.schema import Dataset
    from generation.answers import Answer
    from generation.context import Assembled
    from retrievers.ranking import Ranking


def stories(
    dataset: Dataset,
    outcome: Outcome,
    assembled: Sequence[Assembled],
    answers: Sequence[Answer],
    scores: PerQuery,
    shown: Collection[str],
    rel_level: int = 1,
) -> list[Answered]:
    """The story of each query, in the dataset's order.

    shown: the queries whose scores and labels may be told. Scores that are missing are left out.
    rel_level: from which grade on a document is needed.
    """
    values = scores.values.tolist()
    required = required_documents(dataset, rel_level)
    gate = outcome.gate
    return [
        Answered(
            question=question_text(query),
            searched=outcome.plans[row].texts,
            retrieved=_found(outcome.retrieved, row),
            ranked=_found(outcome.ranked, row),
            blocked=(gate.reasons[row] or "blocked") if gate.blocked[row] else "",
            assembled=assembled[row],
            answer=answers[row],
            scores={
                name: value
                for name, value in zip(scores.metrics, values[row], strict=True)
                if value == value and query.id in shown
            },
            reference=query.answer if query.id in shown else None,
            needed=sorted(required.get(query.id, ())) if query.id in shown else (),
        )
        for row, query in enumerate(dataset.queries)
    ]


def beside(query_ids: tuple[str, ...], tables: Sequence[PerQuery]) -> PerQuery:
    """Tables of the same queries as one; without a table it has no metric."""
    columns = [table.values for table in tables]
    return PerQuery(
        query_ids,
        metrics=tuple(name for table in tables for name in table.metrics),
        values=np.hstack(columns) if columns else np.empty((len(query_ids), 0)),
        higher_is_better=tuple(high for table in tables for high in table.higher_is_better),
        notes=tuple(note for table in tables for note in table.notes),
    )


def _found(ranking: Ranking, row: int) -> list[tuple[str, float]]:
    return [
        (ranking.node_ids[node], score)
        for node, score in zip(
            ranking.nodes[row].tolist(), ranking.scores[row].tolist(), strict=True
        )
        if node >= 0
    ]
