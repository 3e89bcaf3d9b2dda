"""Candidates are kept or left out by what their metadata says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.selection import kept
from retrievers.ranking import Flags, QueryPlan, Ranking


class MetadataFilter(BatchPostprocessor):
    """Keeps the candidates whose metadata fits.

    keep: field -> the value a node must have there, or a list of which it must have one.
    drop: field -> the value, or one of the values, that a node must not have.
    A node without the field has no value: `keep` leaves it out, `drop` does not.
    A query may be left without a candidate; the notes of the run say how many are.
    """

    role: ClassVar[Role | None] = "filter"

    keep: Mapping[str, Any] = Field(default_factory=dict)
    drop: Mapping[str, Any] = Field(default_factory=dict)

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """Each list without what does not fit. Raises ValueError for a field that no node has."""
        self._check(nodes)
        fits = self._fits(nodes)
        after = kept(ranking, fits[ranking.nodes])
        emptied = int(((after.lengths() == 0) & (ranking.lengths() > 0)).sum())
        self._notes = (
            (f"metadata_filter left {emptied} queries without a candidate.",) if emptied else ()
        )
        return after

    def _fits(self, nodes: Sequence[BaseNode]) -> Flags:
        """Whether each node may stay, bool [n + 1]; the last is no node."""
        fits = [
            all(_holds(node, field, wanted) for field, wanted in self.keep.items())
            and not any(_holds(node, field, refused) for field, refused in self.drop.items())
            for node in nodes
        ]
        return np.array([*fits, False], dtype=np.bool_)

    def _check(self, nodes: Sequence[BaseNode]) -> None:
        known = {field for node in nodes for field in node.metadata}
        for field in [*self.keep, *self.drop]:
            if nodes and field not in known:
                raise ValueError(
                    f"metadata_filter reads the field {field!r}, which no passage has: "
                    f"{', '.join(sorted(known)) or 'there is no metadata'}."
                )


def _holds(node: BaseNode, field: str, values: Any) -> bool:
    wanted = values if isinstance(values, list | tuple | set) else [values]
    return field in node.metadata and node.metadata[field] in wanted
