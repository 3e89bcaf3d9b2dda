"""Labels from a pool: which questions have any, and each score beside the share that was judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from experiments.metrics.measures import JUDGED, parse

if TYPE_CHECKING:
    from experiments.evaluation import Evaluator
    from experiments.metrics.per_query import PerQuery
    from experiments.schema import Dataset, Query
    from experiments.splits import Split
    from retrievers.ranking import Ranking


def with_judged(metrics: Evaluator, dataset: Dataset) -> Evaluator:
    """The same metrics where labels are complete; else with `judged@k` after the first of each k.

    A result that no run pooled counts as not relevant, so a mean says little without the share of
    results that were judged. Where spans are labelled nothing is pooled.
    """
    if not dataset.pooled or dataset.spans is not None:
        return metrics
    return replace(metrics, names=[*_beside(metrics.listed())])


def score_visible(metrics: Evaluator, ranking: Ranking, dataset: Dataset, split: Split) -> PerQuery:
    """The scores of a ranking of documents on the queries that may be seen."""
    visible = split.visible
    asked = [query.id for query in dataset.queries if query.id in visible]
    return with_judged(metrics, dataset).evaluate(ranking, dataset.qrels or {}, asked)


def judged_queries(dataset: Dataset) -> tuple[list[Query], tuple[str, ...]]:
    """The queries that can be scored, by id, and a note where others cannot."""
    queries = sorted(dataset.queries, key=lambda query: query.id)
    kept = [query for query in queries if query.id not in dataset.unjudged]
    if len(kept) == len(queries):
        return kept, ()
    lost = f"{len(queries) - len(kept)} of {len(queries)} questions have no judgement yet"
    return kept, (f"{lost}: they count in no score, and a submission answers them all the same.",)


def _beside(names: Sequence[str]) -> Iterator[str]:
    told = {*names}
    for name in names:
        yield name
        judged = JUDGED + name.removeprefix(parse(name).kind)
        if judged not in told:
            told.add(judged)
            yield judged
