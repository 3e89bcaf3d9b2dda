"""The first k of every list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from postprocessors.base import BatchPostprocessor, Role
from retrievers.ranking import QueryPlan, Ranking


class TopK(BatchPostprocessor):
    """Keeps the first `top_k` nodes of each query."""

    role: ClassVar[Role | None] = "cut"

    top_k: int = Field(default=10, ge=1)

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """The head of each list."""
        return ranking.head(self.top_k)
