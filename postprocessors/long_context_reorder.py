"""Where in the prompt the best passages stand: at its ends, since models read the middle least.

Liu et al., Lost in the Middle (TACL 2024). The order goes by rank, never by scores: tied or
missing scores change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode
from numpy.typing import NDArray

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.selection import picked
from retrievers.ranking import QueryPlan, Ranking

Order = Literal["best_first", "best_last", "langchain", "none"]


class LongContextReorder(BatchPostprocessor):
    """Moves the best-ranked nodes to the ends of the prompt and the weakest to its middle.

    order: `best_first` puts the best node first and the second best last, for every number of
        nodes; `best_last` is its reverse; `langchain` is the order of LangChain's class of the
        same name, whose best node stands first for odd and last for even numbers; `none` is the
        identity.
    min_nodes: a query with fewer nodes keeps its order (0 = always reorder).
    """

    role: ClassVar[Role | None] = "reorder"

    order: Order = "best_first"
    min_nodes: int = Field(default=10, ge=0)

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """The same nodes of each query in prompt order."""
        columns = np.tile(np.arange(ranking.depth), (len(ranking.query_ids), 1))
        lengths = ranking.lengths()
        for row, length in enumerate(lengths):
            if length >= self.min_nodes:
                columns[row, :length] = prompt_order(int(length), self.order)
        self._notes = self._left((lengths > 1) & (lengths < self.min_nodes))
        return picked(ranking, columns)

    def _left(self, few: NDArray[np.bool_]) -> tuple[str, ...]:
        """few: queries that would have been reordered with more nodes, bool [q]."""
        if self.order == "none" or not few.any():
            return ()
        return (
            f"LongContextReorder left {few.sum()} of {few.size} queries in order: they have fewer "
            f"passages than min_nodes={self.min_nodes}.",
        )


def prompt_order(count: int, order: Order) -> NDArray[np.int64]:
    """The ranks (0 = best) of `count` nodes in the order they stand in the prompt.

    For 10 nodes: best_first 0 2 4 6 8 9 7 5 3 1; langchain 1 3 5 7 9 8 6 4 2 0.
    """
    ranks = np.arange(count)
    if order == "none":
        return ranks
    ends = np.concatenate([ranks[::2], ranks[1::2][::-1]])
    flip = order == "best_last" or (order == "langchain" and count % 2 == 0)
    return ends[::-1] if flip else ends
