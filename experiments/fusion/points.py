"""The weightings a search has tried, with their scores, and its way through them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.fusion.choice import best
from experiments.fusion.simplex import WeightSearch, named
from experiments.fusion.surface import Rule, Surface
from experiments.identity import describe, fingerprint

if TYPE_CHECKING:
    import pandas as pd

    from experiments.pipeline import Pipeline

Floats = NDArray[np.float64]


class Points:
    """A table that grows: n points, each a rule and its weights [k], scored once.

    rule: [n], places in `rules`.  weights: [n, k].  first: [n, q], the first metric of every public
    query, NaN where it cannot be scored.  means: [n, m].
    """

    def __init__(self, surface: Surface, rules: Sequence[Rule]) -> None:
        self.surface, self.rules = surface, rules
        self.rule = np.empty(0, dtype=np.intp)
        self.weights = np.empty((0, len(surface.parts)))
        self.first = np.empty((0, len(surface.public)))
        self.means = np.empty((0, len(surface.measures)))
        self._known: dict[tuple[int, bytes], int] = {}

    def add(self, rule: int, weights: Floats) -> list[int]:
        """Score those weightings [w, k] that are new; returns the place of each in the table."""
        keys = [(rule, row.tobytes()) for row in weights]
        fresh = []
        for place, key in enumerate(keys):
            if key not in self._known:
                self._known[key] = len(self._known)
                fresh.append(place)
        if fresh:
            scored = self.surface.score(self.rules[rule], weights[fresh])
            self.rule = np.append(self.rule, np.full(len(fresh), rule))
            self.weights = np.concatenate([self.weights, weights[fresh]])
            self.first = np.concatenate([self.first, scored.first])
            self.means = np.concatenate([self.means, scored.means])
        return [self._known[key] for key in keys]

    def scored(self) -> NDArray[np.bool_]:
        """Which public queries have a score, [q]; the same ones for every point."""
        return np.asarray(~np.isnan(self.first[0]))

    def pipeline(self, place: int) -> Pipeline:
        """The pipeline with the fusion of a point."""
        base = self.surface.pipeline
        fusion: Any = base.retriever
        options = self.rules[self.rule[place]].options()
        return replace(base, retriever=fusion.reweighted(self.named(place), **options))

    def named(self, place: int) -> dict[str, float]:
        """Part -> its weight at a point."""
        return named(self.weights[place], self.surface.parts)

    def fingerprints(self) -> Iterator[str]:
        """What the ledger knows each point by: the same as if its pipeline had been run alone."""
        templates: dict[Any, Any] = {}
        fusion: Any = self.surface.pipeline.retriever
        for place, weights in enumerate(self.weights):
            key = (self.rule[place], (weights > 0).tobytes())
            if key not in templates:
                templates[key] = copy.deepcopy(describe(self.pipeline(place)))
            page = templates[key]
            _weigh(page["arguments"]["retriever"], fusion.weighing(self.named(place)))
            yield fingerprint(page)

    def frame(self) -> pd.DataFrame:
        """One row a point: its rule, a column a weight, the public mean of each metric."""
        import pandas as pd

        rules = [[str(value) for value in rule] for rule in self.rules]
        columns: dict[str, Any] = {
            name: [rules[rule][place] for rule in self.rule]
            for place, name in enumerate(Rule._fields)
        }
        parts, measures = self.surface.parts, self.surface.measures
        columns |= {f"weight.{part}": self.weights[:, k] for k, part in enumerate(parts)}
        columns |= {measure.name: self.means[:, m] for m, measure in enumerate(measures)}
        return pd.DataFrame(columns)


def walk(
    points: Points, search: WeightSearch, start: Sequence[int], queries: NDArray[np.bool_]
) -> tuple[int, list[int]]:
    """The best point by these queries ([q]) alone, and all points it was chosen from.

    A search that goes on around its best point goes its own way here: what other queries would
    have led to is not looked at.
    """
    allowed, turn = list(dict.fromkeys(start)), 1
    sign = 1.0 if points.surface.measures[0].higher_is_better else -1.0
    while True:
        scores = sign * points.first[allowed][:, queries]
        top = allowed[best(scores, points.weights[allowed])]
        near = search.around(points.weights[top], turn)
        if not len(near):
            return top, allowed
        fresh = points.add(int(points.rule[top]), near)
        allowed, turn = list(dict.fromkeys([*allowed, *fresh])), turn + 1


def _weigh(description: Any, options: Any) -> None:
    """Put other weights into the description of a fusion and of those nested in it."""
    description["arguments"]["weights"] = options["weights"]
    for name, inner in options.get("parts", {}).items():
        _weigh(description["arguments"]["parts"][name], inner)
