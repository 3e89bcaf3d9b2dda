"""Any LlamaIndex node postprocessor in a pipeline: one query after the other, matched by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.selection import query_text
from retrievers.ranking import QueryPlan, Ranking


class ForeignPostprocessor(BatchPostprocessor):
    """Runs a postprocessor of LlamaIndex or of your own on each query's nodes.

    part: the postprocessor. It gets copies, so what it does to a node's text or metadata stays
        with it. What it returns is matched by node id: it may drop and reorder, and bring in other
        nodes of the corpus; ids that the corpus does not have, and repeated ones, are left out and
        counted in the notes of the run.
    The scores are those it returns; `parts` stay with the candidates that came in.
    A pipeline wraps such parts by itself, and lets them stand anywhere before a reorder.
    """

    part: BaseNodePostprocessor

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """What the part makes of each list. Raises ValueError where it returns no list of nodes."""
        rows = {name: row for row, name in enumerate(ranking.node_ids)}
        unknown = repeated = 0
        found: list[dict[int, float]] = []
        for place, plan in enumerate(plans):
            best: dict[int, float] = {}
            for item in self._ask(ranking, place, plan, nodes):
                row = rows.get(item.node.node_id)
                if row is None:
                    unknown += 1
                elif row in best:
                    repeated += 1
                else:
                    best[row] = np.nan if item.score is None else float(item.score)
            found.append(best)
        self._notes = self._said(unknown, repeated)
        return _with_results(ranking, found)

    def _ask(
        self, ranking: Ranking, place: int, plan: QueryPlan, nodes: Sequence[BaseNode]
    ) -> list[NodeWithScore]:
        listed = ranking.nodes[place] >= 0
        pairs = zip(ranking.nodes[place, listed], ranking.scores[place, listed], strict=True)
        given = [
            NodeWithScore(
                node=nodes[row].model_copy(deep=True), score=None if np.isnan(s) else float(s)
            )
            for row, s in pairs
        ]
        if not given:
            return []
        found = self.part.postprocess_nodes(given, QueryBundle(query_text(plan)))
        return _checked(found, type(self.part).__name__)

    def _said(self, unknown: int, repeated: int) -> tuple[str, ...]:
        if not unknown + repeated:
            return ()
        name = type(self.part).__name__
        return (
            f"{name} returned {unknown} nodes that the corpus does not have and {repeated} "
            "repeated ones; they are left out.",
        )


class ForeignReorder(ForeignPostprocessor):
    """One that changes only the order in which a model reads the nodes."""

    role: ClassVar[Role | None] = "reorder"


def _checked(found: Any, name: str) -> list[NodeWithScore]:
    """What a part returned. Raises ValueError where that is no list of nodes with scores."""
    items = found if isinstance(found, list) else [found]
    for item in items:
        if not isinstance(item, NodeWithScore):
            raise ValueError(
                f"{name} returned {type(item).__name__}: postprocess_nodes has to give back a list "
                "of NodeWithScore."
            )
    return items


def _with_results(ranking: Ranking, found: Sequence[Mapping[int, float]]) -> Ranking:
    """A ranking of these rows with their scores, and the parts of those that stood in the old."""
    depth = max(map(len, found), default=0)
    nodes = np.full((len(found), depth), -1, dtype=np.int32)
    scores = np.full((len(found), depth), np.nan)
    columns = np.full((len(found), depth), -1, dtype=np.intp)
    for place, best in enumerate(found):
        nodes[place, : len(best)] = list(best)
        scores[place, : len(best)] = list(best.values())
        before = {row: column for column, row in enumerate(ranking.nodes[place].tolist())}
        columns[place, : len(best)] = [before.get(row, -1) for row in best]
    parts = {
        name: np.array(
            [
                np.where(own >= 0, row[own] if row.size else np.nan, np.nan)
                for own, row in zip(columns, table, strict=True)
            ]
        ).reshape(nodes.shape)
        for name, table in ranking.parts.items()
    }
    return Ranking(ranking.query_ids, ranking.node_ids, nodes, scores, parts)
