"""Scores on labels from a pool, each beside the share of its results that anyone judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from experiments.metrics.measures import JUDGED, parse

if TYPE_CHECKING:
    from experiments.evaluation import Evaluator
    from experiments.schema import Dataset


def with_judged(metrics: Evaluator, dataset: Dataset) -> Evaluator:
    """The same metrics where labels are complete; else with `judged@k` after the first of each k.

    A result that no run pooled counts as not relevant, so a mean says little without the share of
    results that were judged. Where spans are labelled nothing is pooled.
    """
    if not dataset.pooled or dataset.spans is not None:
        return metrics
    given = [metrics.names] if isinstance(metrics.names, str) else [*metrics.names]
    return replace(metrics, names=[*_beside(given)])


def _beside(names: Sequence[str]) -> Iterator[str]:
    told = {*names}
    for name in names:
        yield name
        judged = JUDGED + name.removeprefix(parse(name).kind)
        if judged not in told:
            told.add(judged)
            yield judged
