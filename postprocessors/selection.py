"""Rankings with some candidates left out or moved: what every postprocessor returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from llama_index.core.schema import BaseNode, MetadataMode
from numpy.typing import NDArray

from retrievers.ranking import EVERY_PART, Flags, QueryPlan, Ranking, Scores

Columns = NDArray[np.intp]


def picked(ranking: Ranking, columns: Columns) -> Ranking:
    """The candidates in these columns, [q, d]; -1, at the end of a row, for none."""

    def taken(table: NDArray[Any], nothing: float) -> NDArray[Any]:
        if not table.shape[1]:
            return np.full(columns.shape, nothing, dtype=table.dtype)
        values = np.take_along_axis(table, np.maximum(columns, 0), axis=1)
        return np.where(columns >= 0, values, np.array(nothing, dtype=table.dtype))

    return replace(
        ranking,
        nodes=taken(ranking.nodes, -1),
        scores=taken(ranking.scores, np.nan),
        parts={name: taken(table, np.nan) for name, table in ranking.parts.items()},
    )


def kept(ranking: Ranking, keep: Flags) -> Ranking:
    """The candidates whose flag is set, bool [q, depth], in the order they stand in."""
    keep = keep & (ranking.nodes >= 0)
    counts = keep.sum(axis=1)
    order = np.argsort(~keep, axis=1, kind="stable")[:, : int(counts.max(initial=0))]
    return picked(ranking, np.where(np.arange(order.shape[1]) < counts[:, None], order, -1))


def distinct(ranking: Ranking) -> tuple[NDArray[np.intp], Columns]:
    """The rows of `node_ids` that stand anywhere in the ranking, and the place of each candidate.

    Returns (rows [n], places [q, depth] in rows, -1 where there is no candidate).
    """
    rows = np.unique(ranking.nodes[ranking.nodes >= 0]).astype(np.intp)
    places = np.searchsorted(rows, ranking.nodes)
    return rows, np.where(ranking.nodes >= 0, places, -1)


def query_text(plan: QueryPlan) -> str:
    """What the query itself asks: the first of the plan's texts."""
    return plan.texts[EVERY_PART][0]


def node_texts(
    nodes: Sequence[BaseNode], rows: NDArray[np.integer], mode: MetadataMode = MetadataMode.EMBED
) -> list[str]:
    """The texts of these nodes with the metadata that the mode shows."""
    return [nodes[row].get_content(metadata_mode=mode) for row in rows]


def by_score(ranking: Ranking, scores: Scores) -> Ranking:
    """The candidates by these scores of theirs, [q, depth], best first, which become the scores.

    A tie goes to the earlier place in the corpus. Those without a score stand behind the others,
    in the order they came in.
    """
    lost, column = np.isnan(scores), np.arange(ranking.depth)
    ties = np.where(lost, column, ranking.nodes)
    order = np.lexsort((ties, np.where(lost, 0.0, -scores), lost), axis=1)
    return picked(replace(ranking, scores=scores), order)
