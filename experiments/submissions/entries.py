"""What a ranking submits, query by query, before any format is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from experiments.schema import Dataset
from retrievers.ranking import Ranking, Scores


class Result(NamedTuple):
    """One submitted document. score: finite, six significant digits."""

    document: str
    score: float
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What is submitted for one query of the evaluation file.

    asked: the query as it was searched, on its own (a follow-up question made standalone).
    results: best first; none where the gate blocked the query or nothing was found.
    """

    query: str
    asked: str
    results: tuple[Result, ...]
    answer: str = ""


def submitted(
    dataset: Dataset, ranking: Ranking, asked: Mapping[str, str], answers: Mapping[str, str]
) -> list[Entry]:
    """One entry for every query of the dataset, in its order.

    A query without an entry in `asked` was asked as it stands; one without an answer submits "".
    Raises ValueError for a document that is not in the corpus, and for a ranking of other queries.
    """
    strangers = set(ranking.query_ids).difference(query.id for query in dataset.queries)
    if strangers:
        raise ValueError(
            f"The ranking answers the query {min(strangers)!r}, which {dataset.name} does not "
            "have; submit a ranking of the dataset's own queries."
        )
    texts = {document.id: document.text for document in dataset.corpus}
    rows = {query: row for row, query in enumerate(ranking.query_ids)}
    return [
        Entry(
            query.id,
            asked.get(query.id, query.text),
            _results(ranking, rows[query.id], texts) if query.id in rows else (),
            answers.get(query.id, ""),
        )
        for query in dataset.queries
    ]


def _results(ranking: Ranking, row: int, texts: Mapping[str, str]) -> tuple[Result, ...]:
    ids = ranking.ids(row)
    for name in ids:
        if name not in texts:
            raise ValueError(
                f"The ranking names the document {name!r}, which is not in the corpus; "
                "submit a ranking over document ids."
            )
    scores = _finite(ranking.scores[row, : len(ids)])
    return tuple(Result(name, score, texts[name]) for name, score in zip(ids, scores, strict=True))


def _finite(scores: Scores) -> list[float]:
    """The scores to six significant digits; 1/rank for a list that was ranked without scores."""
    if not np.isfinite(scores).all():
        scores = 1.0 / np.arange(1, len(scores) + 1)
    return [float(f"{score:.6g}") + 0.0 for score in scores]
