"""The public scores of any weighting of a pipeline's fusion, from its leaves' stored candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.candidates import document_rows
from experiments.evaluation import per_query_scores
from experiments.fusion.kernel import FusionKernel
from experiments.gating import decide
from experiments.indexes import Indexes
from experiments.metrics.measures import JUDGED, Measure, parse
from experiments.metrics.relevance import Labels
from experiments.stopwatch import Stopwatch
from retrievers.ranking import QueryPlan, Ranking

if TYPE_CHECKING:
    from experiments.pipeline import Pipeline
    from experiments.schema import Dataset
    from experiments.setting import Setting

Floats = NDArray[np.float64]
Option = str | Mapping[str, str]


class Rule(NamedTuple):
    """How scores enter the sum; the options of `retrievers.fusion.Hybrid` of these names."""

    normalise: Option
    missing: Option
    candidates: int

    def options(self) -> dict[str, Any]:
        """As keyword arguments."""
        return self._asdict()


class Scored(NamedTuple):
    """What weightings score. first: [w, q] of the first metric.  means: [w, m] of all of them."""

    first: Floats
    means: Floats


@dataclass(frozen=True, kw_only=True)
class Surface:
    """Scores weightings on the public queries; nothing of another query is read.

    pipeline: with a fusion as its retriever, indexed.  public: the ids, in the order of the scores.
    A kernel is made once for each rule and each set of parts that have a weight.
    """

    pipeline: Pipeline
    dataset: Dataset
    setting: Setting
    public: tuple[str, ...]
    source: Source
    _kernels: dict[Any, FusionKernel] = field(default_factory=dict)
    _blocked: dict[Any, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[str, ...]:
        """The leaves, in the order in which their terms are added."""
        return tuple(sorted(self.pipeline.retriever.leaves()))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The setting's metrics but `judged@k`, which reads every result and not hits alone."""
        return tuple(
            measure
            for measure in map(parse, self.setting.metrics.listed())
            if measure.kind != JUDGED
        )

    def score(self, rule: Rule, weights: Floats) -> Scored:
        """The scores of weightings [w, k] of `parts`, at least one weight of each above 0."""
        first = np.empty((len(weights), len(self.public)))
        means = np.empty((len(weights), len(self.measures)))
        used = weights > 0
        for support in np.unique(used, axis=0):
            rows = np.flatnonzero((used == support).all(axis=1))
            kernel = self._kernel(rule, tuple(np.array(self.parts)[support].tolist()))
            done = 0
            for block in self._blocks(kernel, weights[np.ix_(rows, np.flatnonzero(support))]):
                some = rows[done : done + len(block[0])]
                first[some] = block[0]
                means[some] = np.stack([_mean(scores) for scores in block], axis=1)
                done += len(some)
        return Scored(first, means)

    def _blocks(self, kernel: FusionKernel, weights: Floats) -> Any:
        metrics = self.setting.metrics
        zero = metrics.empty_qrels == "zero"
        for relevance in kernel.relevance(weights, metrics.rel_level):
            yield [per_query_scores(measure, relevance, zero=zero) for measure in self.measures]

    def _kernel(self, rule: Rule, support: tuple[str, ...]) -> FusionKernel:
        key = repr((rule, support))
        if key not in self._kernels:
            self._kernels[key] = self._made(rule, support)
        return self._kernels[key]

    def _made(self, rule: Rule, support: tuple[str, ...]) -> FusionKernel:
        fusion: Any = self.pipeline.retriever
        fusion = fusion.reweighted(dict.fromkeys(support, 1.0), **rule.options())
        pipeline = replace(self.pipeline, retriever=fusion)
        found = self.source.candidates(pipeline, self.setting)
        plans = self.source.plans
        if support not in self._blocked:
            ranking = fusion.combine(plans, found, pipeline.depth)
            self._blocked[support] = self.source.blocked(pipeline, ranking, self.setting)
        places = {plan.id: row for row, plan in enumerate(plans)}
        rows = np.array([places[query] for query in self.public], dtype=np.intp)
        public = {name: _rows(ranking, rows) for name, ranking in found.items()}
        nodes, terms = fusion.contributions([plans[row] for row in rows], public)
        documents, owners = document_rows(self.source.nodes)
        labels = Labels.of(self.dataset.qrels or {}, self.public, documents)
        stacked = np.stack([terms[name] for name in support])
        kernel = FusionKernel.of(stacked, owners[nodes], labels, self._depth())
        return kernel.without(self._blocked[support][rows])

    def _depth(self) -> int:
        """As many places as a metric reads, and no more than the pipeline returns."""
        depth = self.pipeline.depth
        return min(depth, max(depth if m.k is None else m.k for m in self.measures))


@dataclass(frozen=True, slots=True)
class Source:
    """The chunks, plans and indexes of a pipeline whose fusion is searched."""

    nodes: Sequence[Any]
    plans: Sequence[QueryPlan]
    indexes: Indexes

    @classmethod
    def of(cls, pipeline: Pipeline, dataset: Dataset, setting: Setting) -> Source:
        """Read the dataset; an index is made or loaded once a leaf has to be searched."""
        return cls(*pipeline.read(dataset, setting.store, Stopwatch()))

    def candidates(self, pipeline: Pipeline, setting: Setting) -> dict[str, Ranking]:
        """The leaves' lists, as deep as the pipeline's own run reads them."""
        if pipeline.retriever.combine_searches:
            self.indexes.open()
        return pipeline.candidates(self.plans, pipeline.depth, self.indexes, setting.store)

    def blocked(self, pipeline: Pipeline, ranking: Ranking, setting: Setting) -> NDArray[np.bool_]:
        """Which queries the pipeline's gate takes away, [q]."""
        decision, _ = decide(pipeline, self.plans, ranking, self.indexes, setting.store)
        return decision.blocked


def _rows(ranking: Ranking, rows: NDArray[np.intp]) -> Ranking:
    """The ranking of some of the queries."""
    return replace(
        ranking,
        query_ids=tuple(ranking.query_ids[row] for row in rows),
        nodes=ranking.nodes[rows],
        scores=ranking.scores[rows],
        parts={name: table[rows] for name, table in ranking.parts.items()},
    )


def _mean(scores: Floats) -> Floats:
    """Over the queries that can be scored, the same ones for every weighting; NaN without one."""
    scored = ~np.isnan(scores[:1]).all(axis=0)
    if not scored.any():
        return np.full(len(scores), np.nan)
    means: Floats = scores[:, scored].mean(axis=1)
    return means
