"""Score a ranking: every query of the evaluation set, and means that say what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from experiments.metrics import preflight
from experiments.metrics.measures import Measure, parse
from experiments.metrics.per_query import PerQuery
from experiments.metrics.relevance import Labels, Relevance
from experiments.metrics.spans import SpanMeasure, parse_span
from experiments.schema import Qrels, RankingMetric, Span
from retrievers.ranking import Ranking

EMPTY_QRELS = ("skip", "zero")

N = TypeVar("N")
M = TypeVar("M", bound=Measure | SpanMeasure | RankingMetric)


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A list of metrics with the two choices that change their numbers; what a config names.

    names: such as "ndcg@10"; one alone may stand without a list.
    """

    names: str | Sequence[str]
    _: KW_ONLY
    rel_level: int = 1
    empty_qrels: str = "skip"

    def check(self, *, spans: bool = False, depth: int | None = None) -> None:
        """Raises ValueError for an unknown name or option at once, before hours of retrieval.

        depth: how many results a query will get; a metric that reads more is refused, for its
            score would be that of a shorter list under a longer one's name.
        """
        _check(self.rel_level, self.empty_qrels)
        measures = self._measures(spans=spans)
        deep = max(measures, key=_reads)
        if depth is not None and _reads(deep) > depth:
            raise ValueError(
                f"{deep.name} reads {deep.k} results and depth is {depth}: add depth={deep.k}."
            )

    def reads(self, *, spans: bool = False) -> int:
        """The most results that a metric of the list looks at; 0 where each takes all there are."""
        return max(map(_reads, self._measures(spans=spans)))

    def evaluate(
        self, ranking: Ranking, qrels: Qrels, queries: Iterable[str] | None = None
    ) -> PerQuery:
        """`evaluate` with these metrics."""
        return evaluate(
            ranking,
            qrels,
            self.listed(),
            rel_level=self.rel_level,
            empty_qrels=self.empty_qrels,
            queries=queries,
        )

    def evaluate_spans(
        self,
        ranking: Ranking,
        spans: Mapping[str, Sequence[Span]],
        chunks: Mapping[str, Span],
        queries: Iterable[str] | None = None,
    ) -> PerQuery:
        """`evaluate_spans` with these metrics."""
        return evaluate_spans(
            ranking, spans, chunks, self.listed(), empty_qrels=self.empty_qrels, queries=queries
        )

    def _measures(self, *, spans: bool) -> list[Measure] | list[SpanMeasure]:
        if spans:
            return _distinct([parse_span(name) for name in self.listed()])
        return _distinct([parse(name) for name in self.listed()])

    def listed(self) -> Sequence[str]:
        """The names, one alone in a list too."""
        return _listed(self.names or ())


def evaluate(
    ranking: Ranking,
    qrels: Qrels,
    metrics: str | Sequence[str | Measure | RankingMetric],
    *,
    rel_level: int = 1,
    empty_qrels: str = "skip",
    queries: Iterable[str] | None = None,
) -> PerQuery:
    """Score every query of the evaluation set against labelled documents.

    metrics: names such as "ndcg@10", or metrics of your own; one name may stand without a list.
    rel_level: the lowest grade that counts as relevant (the gains of nDCG are the grades as such).
    empty_qrels: a query without relevant documents is left out ("skip") or scores its worst
        ("zero": 0, and 1 for rates of failure).
    queries: the evaluation set; default: every query that the ranking or the qrels name. One that
        the ranking does not name scores 0.

    Raises ValueError where a metric or an option is unknown, where one of your own gives no score a
    query, and where labels and ranking share no query or no document: no score of 0 is made of it.
    """
    _check(rel_level, empty_qrels)
    measures = _distinct([_measure(item) for item in _listed(metrics)])
    query_ids = preflight.evaluation_set(ranking, qrels, queries)
    ranking, absent = preflight.aligned(ranking, query_ids)
    labels = Labels.of(qrels, query_ids, ranking.node_ids)
    missing = preflight.missing_documents(labels, ranking, qrels, rel_level)
    relevance = labels.judge(ranking.nodes, rel_level)
    preflight.refuse_repeats(relevance, ranking)
    zero = empty_qrels == "zero"
    columns = [
        per_query_scores(item, relevance, zero=zero)
        if isinstance(item, Measure)
        else preflight.own_scores(item, ranking, qrels)
        for item in measures
    ]
    notes = preflight.notes(
        missing=missing,
        absent=absent,
        empty=_empty(ranking) - absent,
        queries=len(query_ids),
        without_gold=int((relevance.n_relevant == 0).sum()),
        zero=zero,
    )
    notes = preflight.nothing_relevant(qrels, query_ids, relevance.n_relevant, rel_level) + notes
    return _table(query_ids, measures, columns, notes, missing)


def evaluate_spans(
    ranking: Ranking,
    spans: Mapping[str, Sequence[Span]],
    chunks: Mapping[str, Span],
    metrics: str | Sequence[str | SpanMeasure],
    *,
    empty_qrels: str = "skip",
    queries: Iterable[str] | None = None,
) -> PerQuery:
    """Score a ranking of chunks against gold spans: what of the answers do the chunks hold?

    spans: query id -> its gold spans.  chunks: node id -> the characters of its document it is.
    Options as in `evaluate`. Raises ValueError for a metric over documents, a chunk without a
    place, and where no gold span lies in a document of the chunks.
    """
    _check(1, empty_qrels)
    named = _listed(metrics)
    measures = _distinct([m if isinstance(m, SpanMeasure) else parse_span(m) for m in named])
    query_ids = preflight.evaluation_set(ranking, spans, queries)
    ranking, absent = preflight.aligned(ranking, query_ids)
    places = _places(ranking, chunks)
    missing = preflight.missing_spans(query_ids, spans, places)
    zero = empty_qrels == "zero"
    worst = [float(not measure.higher_is_better) if zero else np.nan for measure in measures]
    values = np.full((len(query_ids), len(measures)), worst)
    for row, query in enumerate(query_ids):
        if gold := spans.get(query):
            found = [places[node] for node in ranking.nodes[row] if node >= 0]
            values[row] = [measure.score(found, gold) for measure in measures]
    notes = preflight.notes(
        missing=missing,
        absent=absent,
        empty=_empty(ranking) - absent,
        queries=len(query_ids),
        without_gold=sum(not spans.get(query) for query in query_ids),
        zero=zero,
    )
    return _table(query_ids, measures, list(values.T), notes, missing)


def _listed(metrics: str | Sequence[N]) -> Sequence[N]:
    """One metric may stand without a list: a text is never read letter by letter."""
    if isinstance(metrics, Iterable) and not isinstance(metrics, str):
        return [*metrics]
    return [cast("N", metrics)]


def _measure(item: Any) -> Measure | RankingMetric:
    """A metric of one's own as it is, a name as what it stands for."""
    own = callable(item) and hasattr(item, "name") and hasattr(item, "higher_is_better")
    return cast("RankingMetric", item) if own else parse(item)


def _empty(ranking: Ranking) -> int:
    return int((ranking.lengths() == 0).sum())


def _reads(measure: Measure | SpanMeasure) -> int:
    return measure.k or 0


def per_query_scores(measure: Measure, relevance: Relevance, *, zero: bool) -> NDArray[np.float64]:
    """Scores [..., q] of a measure; `zero` gives queries without relevant documents their worst."""
    scores = measure.score(relevance)
    if zero and measure.empty is not None:
        return np.where(np.isnan(scores), measure.empty, scores)
    return scores


def _table(
    query_ids: tuple[str, ...],
    measures: Sequence[Measure | SpanMeasure | RankingMetric],
    columns: Sequence[NDArray[np.float64]],
    notes: tuple[str, ...],
    missing: int,
) -> PerQuery:
    return PerQuery(
        query_ids,
        metrics=tuple(measure.name for measure in measures),
        values=np.stack(columns, axis=1),
        higher_is_better=tuple(measure.higher_is_better for measure in measures),
        notes=notes,
        missing=missing,
    )


def _places(ranking: Ranking, chunks: Mapping[str, Span]) -> list[Span]:
    lost = [name for name in ranking.node_ids if name not in chunks]
    if lost:
        raise ValueError(
            f'{len(lost)} chunks have no place in a document, such as "{lost[0]}": '
            f"give every chunk its document and its character offsets."
        )
    return [chunks[name] for name in ranking.node_ids]


def _check(rel_level: int, empty_qrels: str) -> None:
    if rel_level < 1:
        raise ValueError(f"rel_level is {rel_level}: the lowest grade that counts is at least 1.")
    if empty_qrels not in EMPTY_QRELS:
        raise ValueError(f'empty_qrels is "{empty_qrels}": choose {" or ".join(EMPTY_QRELS)}.')


def _distinct(measures: list[M]) -> list[M]:
    names = [measure.name for measure in measures]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice or not names:
        fault = f"{twice[0]} is named twice" if twice else "no metric is named"
        raise ValueError(f"In the list of metrics {fault}: name at least one, each once.")
    return measures
