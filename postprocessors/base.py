"""The shape of a postprocessor: all queries at once for us, one at a time for LlamaIndex."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

from retrievers.ranking import EVERY_PART, QueryPlan, Ranking

Role = Literal["filter", "rerank", "fuse", "select", "cut", "reorder"]
"""What a postprocessor does, in the order in which a pipeline has them.

filter: takes candidates away before work is spent on them.  rerank: scores all candidates.
fuse: weighs the scores of all parts.  select: looks closely at the best few.
cut: shortens the list.  reorder: changes only the order in which a model reads the nodes; the
pipeline keeps the ranking from before it for scores and submissions.
"""


class BatchPostprocessor(BaseNodePostprocessor):
    """A LlamaIndex node postprocessor whose real work is done for many queries at once.

    A new one is a subclass with `postprocess_many`. Its fields are its options.
    role: where it stands in a pipeline; None for anywhere before a reorder.
    """

    role: ClassVar[Role | None] = None

    _notes: tuple[str, ...] = PrivateAttr(default=())

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each thing a reader should know of how it last ran."""
        return self._notes

    @abstractmethod
    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """A new ranking of the same nodes or fewer; the one given is not changed.

        plans: what each query asks.  nodes: in the order of `ranking.node_ids`.
        """

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        """One query through `postprocess_many`; position is the rank, a missing score stays so."""
        unique = {found.node.node_id: found for found in reversed(nodes)}
        ordered = list(dict.fromkeys(found.node.node_id for found in nodes))
        text = query_bundle.query_str if query_bundle else ""
        scores = [np.nan if unique[i].score is None else unique[i].score for i in ordered]
        ranking = Ranking(
            ("query",),
            tuple(ordered),
            np.arange(len(ordered), dtype=np.int32)[None],
            np.array(scores, dtype=np.float64)[None],
        )
        plans = [QueryPlan("query", {EVERY_PART: (text,)})]
        after = self.postprocess_many(ranking, plans, [unique[i].node for i in ordered])
        kept = [(node, score) for node, score in zip(after.nodes[0], after.scores[0], strict=True)]
        return [
            NodeWithScore(
                node=unique[ordered[node]].node, score=None if np.isnan(score) else float(score)
            )
            for node, score in kept
            if node >= 0
        ]
