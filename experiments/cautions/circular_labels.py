"""Were the labels made by the retriever under test?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.candidates import document_rows

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode

    from experiments.schema import Qrels
    from retrievers.ranking import Ranking

ENOUGH = 30


def circular_labels(
    retrieved: Ranking, nodes: Sequence[BaseNode], qrels: Qrels, query_ids: Sequence[str]
) -> tuple[str, ...]:
    """One sentence for each part whose first passage is a gold one for every query.

    retrieved: the first retrieval, over `nodes`; without parts of its own it counts as one.
    query_ids: those whose labels may be looked at. With fewer than 30 that have gold, nothing is
    said: a good retriever answers 30 ordinary questions without a miss once in twenty-five times
    where it is right for nine of ten.
    """
    names, owners = document_rows(nodes)
    place = {document: row for row, document in enumerate(names)}
    wanted = {*query_ids}
    gold = [
        (row, {place[d] for d, grade in qrels.get(query, {}).items() if grade > 0 and d in place})
        for row, query in enumerate(retrieved.query_ids)
        if query in wanted
    ]
    gold = [(row, documents) for row, documents in gold if documents]
    if len(gold) < ENOUGH:
        return ()
    return tuple(
        f"The first passage of {part} is a gold one for each of {len(gold)} labelled questions: "
        "were the labels made with this retriever, its scores say nothing."
        for part, first in _first_documents(retrieved, owners)
        if all(int(first[row]) in documents for row, documents in gold)
    )


def _first_documents(
    retrieved: Ranking, owners: NDArray[np.int32]
) -> Iterator[tuple[str, NDArray[np.int32]]]:
    """Each part and the document it puts first, int32 [q], -1 for none."""
    if not retrieved.depth:
        return
    if not retrieved.parts:
        yield "the retriever", owners[retrieved.nodes[:, 0]]
    for part, scores in retrieved.parts.items():
        known = np.where(np.isnan(scores), -np.inf, scores)
        best = np.take_along_axis(retrieved.nodes, known.argmax(axis=1)[:, None], axis=1)[:, 0]
        yield part, owners[np.where(np.isinf(known).all(axis=1), -1, best)]
