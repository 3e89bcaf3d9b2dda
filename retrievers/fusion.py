"""Several retrievers as one: a weighted sum of their normalised scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from llama_index.core.schema import BaseNode
from numpy.typing import NDArray

from retrievers.base import BatchRetriever
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking, Rows, Scores, best_first
from retrievers.score_fusion import Missing, Normalise, PartRule, contribution, fuse_scores, union

Setting = TypeVar("Setting")


class Hybrid(BatchRetriever):
    """One weighted sum of normalised parts, any number of them, nested or not.

    parts: name -> retriever. Here a part goes by this name, whatever its own is, and is left as it
        was. Leaf names are unique in the tree.
    weights: name -> weight, 1 for a part it does not name. A part of weight 0 takes no part at
        all: neither its scores nor the candidates that only it finds, and it needs no index.
    normalise, missing: one for all, or by part name; see `PartRule`. They belong to the leaves: a
        nested fusion adds no normalisation of its own, its weight multiplies those of its parts.
    candidates: how many results are asked of each leaf, at least.
    Ties stand in corpus order. `Ranking.parts` holds each leaf's raw score of each candidate.
    """

    def __init__(
        self,
        parts: Mapping[str, BatchRetriever],
        *,
        weights: Mapping[str, float] | None = None,
        normalise: Normalise | Mapping[str, Normalise] = "zscore",
        missing: Missing | Mapping[str, Missing] = "min",
        candidates: int = 100,
        name: str = "hybrid",
    ) -> None:
        super().__init__(name)
        self.parts, self.weights, self.candidates = parts, weights, candidates
        self.normalise, self.missing = normalise, missing
        self._rules = self._own_rules()
        self._check()

    def rules(self) -> dict[str, PartRule]:
        """Leaf name -> how it enters the sum, with its effective weight."""
        found: dict[str, PartRule] = {}
        for name, part in self.parts.items():
            rule = self._rules[name]
            if isinstance(part, Hybrid):
                inner = part.rules().items()
                found |= {leaf: replace(of, weight=of.weight * rule.weight) for leaf, of in inner}
            else:
                found[name] = rule
        return found

    def effective_weights(self) -> dict[str, float]:
        """Leaf name -> the weight it has in the end: the product along its path."""
        return {name: rule.weight for name, rule in self.rules().items()}

    def leaves(self) -> Mapping[str, BatchRetriever]:
        weights = self.effective_weights()
        return {name: leaf for name, leaf in self._all_leaves() if weights[name] > 0}

    @property
    def combine_searches(self) -> bool:
        return any(_asks_exact(rule) for rule in self.rules().values())

    def candidate_depth(self, depth: int) -> int:
        inner = [part.candidate_depth(depth) for part in self.parts.values()]
        return max([depth, self.candidates, *inner])

    def retrieve_many(self, plans: Sequence[QueryPlan], depth: int) -> Ranking:
        self.check_asked(depth)
        wanted = self.candidate_depth(depth)
        found = {
            name: leaf.retrieve_many(_read_by(name, plans), wanted)
            for name, leaf in self.leaves().items()
        }
        return self.combine(plans, found, depth)

    def combine(
        self, plans: Sequence[QueryPlan], found: Mapping[str, Ranking], depth: int
    ) -> Ranking:
        node_ids = _same_nodes([found[name] for name in self.leaves()])
        rows, scores, exact = self._aligned(plans, found)
        columns, fused = best_first(fuse_scores(scores, rows, self._used(), exact), depth)
        query_ids = tuple(plan.id for plan in plans)
        parts = {name: _pick(table, columns) for name, table in {**scores, **exact}.items()}
        return Ranking(query_ids, node_ids, _pick(rows, columns), fused, parts)

    def contributions(
        self, plans: Sequence[QueryPlan], found: Mapping[str, Ranking]
    ) -> tuple[Rows, dict[str, Scores]]:
        """What a search over weights adds up: the terms of the sum, before their weights.

        Returns the candidates in corpus order [q, c], -1 for padding, and leaf name -> its
        normalised scores of them [q, c], 0 for padding. `combine` ranks by their weighted sum.
        """
        rows, scores, exact = self._aligned(plans, found)
        rules = self._used()
        terms = {n: contribution(scores[n], rows, rules[n], exact.get(n)) for n in rules}
        return rows, terms

    def weighing(self, weights: Mapping[str, float], **options: Any) -> dict[str, Any]:
        """The options, as YAML holds them, that give the leaves these effective weights.

        weights: leaf name -> weight, 0 for one it does not name.
        options: normalise, missing, candidates, for every fusion in the tree.
        """
        inner = {
            name: part.weighing(weights, **options)
            for name, part in self.parts.items()
            if isinstance(part, Hybrid) and any(weights.get(leaf) for leaf, _ in part._all_leaves())
        }
        own = {name: float(name in inner or weights.get(name, 0.0)) for name in self.parts}
        return {"weights": own, **options} | ({"parts": inner} if inner else {})

    def reweighted(self, weights: Mapping[str, float], **options: Any) -> Hybrid:
        """The same parts and indexes in a fusion with these effective weights; see `weighing`."""
        changed = self.weighing(weights, **options)
        inner = changed.pop("parts", {})
        parts = {
            name: part.reweighted(weights, **options)
            if name in inner and isinstance(part, Hybrid)
            else part
            for name, part in self.parts.items()
        }
        kept = {name: getattr(self, name) for name in ("normalise", "missing", "candidates")}
        twin = Hybrid(parts, name=self.name, **(kept | changed))
        twin._nodes = self._nodes
        return twin

    def attach(self, nodes: Sequence[BaseNode]) -> None:
        super().attach(nodes)
        for leaf in self.leaves().values():
            leaf.attach(nodes)

    def index(self, texts: Sequence[str]) -> None:
        for leaf in self.leaves().values():
            leaf.index(texts)

    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        plans = [QueryPlan(str(place), {EVERY_PART: (text,)}) for place, text in enumerate(texts)]
        ranking = self.retrieve_many(plans, depth)
        return ranking.nodes, ranking.scores

    def save(self, folder: Path) -> None:
        for name, leaf in self.leaves().items():
            (folder / name).mkdir()
            leaf.save(folder / name)

    def load(self, folder: Path) -> None:
        for name, leaf in self.leaves().items():
            leaf.load(folder / name)

    def _used(self) -> dict[str, PartRule]:
        return {name: rule for name, rule in self.rules().items() if rule.weight > 0}

    def _aligned(
        self, plans: Sequence[QueryPlan], found: Mapping[str, Ranking]
    ) -> tuple[Rows, dict[str, Scores], dict[str, Scores]]:
        """The union of the leaves' candidates, their raw scores, and true ones where asked for."""
        rules = self._used()
        lists = [(found[name].nodes, _scores(name, found[name], rules[name])) for name in rules]
        rows, stacked = union(lists)
        exact = {
            name: leaf.score_many(_read_by(name, plans), rows)
            for name, leaf in self.leaves().items()
            if _asks_exact(rules[name])
        }
        return rows, dict(zip(rules, stacked, strict=True)), exact

    def _all_leaves(self) -> list[tuple[str, BatchRetriever]]:
        found: list[tuple[str, BatchRetriever]] = []
        for name, part in self.parts.items():
            found += part._all_leaves() if isinstance(part, Hybrid) else [(name, part)]
        return found

    def _own_rules(self) -> dict[str, PartRule]:
        weights = {} if self.weights is None else self.weights
        unknown = sorted(set(weights) - set(self.parts))
        if unknown:
            raise ValueError(
                f"{self.name}: weights name {unknown[0]!r}, which is no part of it: "
                f"its parts are {', '.join(self.parts)}."
            )
        return {
            name: PartRule(
                float(weights.get(name, 1.0)),
                _of(self.normalise, name, "zscore"),
                _of(self.missing, name, "min"),
            )
            for name in self.parts
        }

    def _check(self) -> None:
        names = [name for name, _ in self._all_leaves()]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(
                f"{self.name}: two parts are called {repeated[0]!r}: give each leaf its own name."
            )
        if not self.leaves():
            raise ValueError(f"{self.name}: every weight is 0: give at least one part more than 0.")


def _of(setting: Setting | Mapping[str, Setting], name: str, default: Setting) -> Setting:
    """One setting for all parts, or that of the part it names."""
    return setting.get(name, default) if isinstance(setting, Mapping) else setting


def _read_by(name: str, plans: Sequence[QueryPlan]) -> list[QueryPlan]:
    """The plans as the part of this name reads them, whatever the part calls itself."""
    return [plan.for_part(name) for plan in plans]


def _scores(name: str, ranking: Ranking, rule: PartRule) -> Scores:
    """The part's scores; its places, negated, where it ranks without scoring."""
    listed = ranking.nodes >= 0
    if not np.isnan(ranking.scores[listed]).any():
        return ranking.scores
    if rule.normalise != "rank":
        raise ValueError(f"Part {name!r} ranks without scores: fuse it with normalise=rank.")
    return np.where(listed, -np.arange(ranking.depth, dtype=np.float64), np.nan)


def _asks_exact(rule: PartRule) -> bool:
    return rule.missing == "exact" and rule.normalise != "rank"


def _same_nodes(rankings: Sequence[Ranking]) -> tuple[str, ...]:
    if any(ranking.node_ids != rankings[0].node_ids for ranking in rankings):
        raise ValueError("The parts of a fusion were built on different nodes: build them on one.")
    return rankings[0].node_ids


def _pick(table: NDArray[Any], columns: Rows) -> NDArray[Any]:
    """The chosen columns of each row; -1 or NaN where there is none."""
    nothing = -1 if table.dtype.kind == "i" else np.nan
    if table.shape[1] == 0:
        return np.full(columns.shape, nothing, dtype=table.dtype)
    taken = np.take_along_axis(table, np.maximum(columns, 0), axis=1)
    return np.where(columns >= 0, taken, np.array(nothing, dtype=table.dtype))
