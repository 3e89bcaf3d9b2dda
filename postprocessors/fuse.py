"""The one step that weighs the scores of all parts, of retrievers and of rerankers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.selection import by_score, kept
from retrievers.ranking import QueryPlan, Ranking
from retrievers.score_fusion import Normalise, PartRule, fuse_scores

Missing = Literal["min", "zero"]


class Fuse(BatchPostprocessor):
    """Ranks by one weighted sum of the normalised scores in `Ranking.parts`.

    weights: part -> weight, at least 0; or a name for several parts together, with the `weight`
        of the whole and the weights of its `parts`, as deep as you like. A part that is not named
        takes no part. (dense·0.7 + bm25·0.3)·0.525 + rerank·0.475 is
        {found: {weight: 0.525, parts: {dense: 0.7, bm25: 0.3}}, rerank: 0.475}.
    normalise, missing: one for all, or by part; see `PartRule`. Each part is normalised over its
        own candidates among those that are still there. True scores for candidates that a part
        did not return are given by the retriever: missing=exact there.
    A candidate that only unweighted parts returned is left out. Ties stand in corpus order.
    """

    role: ClassVar[Role | None] = "fuse"

    weights: Mapping[str, Any] = Field(default_factory=dict)
    normalise: Normalise | Mapping[str, Normalise] = "zscore"
    missing: Missing | Mapping[str, Missing] = "min"

    def effective_weights(self) -> dict[str, float]:
        """Part -> the weight it has in the end: the product along its path.

        Raises ValueError for a group of another form, and for a part that is named twice.
        """
        found: dict[str, float] = {}
        for name, weight in _leaves(self.weights, 1.0):
            if name in found:
                raise ValueError(f"fuse.weights names the part {name!r} twice: name it once.")
            found[name] = weight
        return found

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """The same candidates by their fused score. Raises ValueError for a part nobody gave."""
        rules = self._rules()
        self.check([*ranking.parts])
        fused = fuse_scores({name: ranking.parts[name] for name in rules}, ranking.nodes, rules)
        self._notes = self._said(rules, ranking)
        ordered = by_score(ranking, fused)
        return kept(ordered, ~np.isnan(ordered.scores))

    def _rules(self) -> dict[str, PartRule]:
        return {
            name: PartRule(
                weight, _of(self.normalise, name, "zscore"), _of(self.missing, name, "min")
            )
            for name, weight in self.effective_weights().items()
        }

    def check(self, given: Sequence[str]) -> None:
        """Raises ValueError where it weighs none of these parts, or another one."""
        weighed = self.effective_weights()
        absent = [name for name in weighed if name not in given]
        if absent or not weighed:
            fault = f"weighs {absent[0]!r}, which no step gave" if absent else "weighs nothing"
            raise ValueError(
                f"fuse {fault}: name parts among {', '.join(given) or 'none'} in "
                "postprocessor.fuse.weights, or add the retriever or reranker that gives it."
            )

    def _said(self, rules: Mapping[str, PartRule], ranking: Ranking) -> tuple[str, ...]:
        left_out = [name for name in ranking.parts if name not in rules]
        return (f"fuse gives no weight to {', '.join(left_out)}.",) if left_out else ()


def _leaves(weights: Mapping[str, Any], scale: float) -> Iterator[tuple[str, float]]:
    for name, given in weights.items():
        if not isinstance(given, Mapping):
            yield str(name), scale * float(given)
        elif given.keys() == {"weight", "parts"} and isinstance(given["parts"], Mapping):
            yield from _leaves(given["parts"], scale * float(given["weight"]))
        else:
            raise ValueError(
                f"fuse.weights.{name} has {', '.join(map(str, given)) or 'nothing'}: "
                "give a number, or a weight and its parts."
            )


def _of(setting: Any, name: str, default: str) -> Any:
    return setting.get(name, default) if isinstance(setting, Mapping) else setting
