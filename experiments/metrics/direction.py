"""Which way of a metric is better, told by its name."""

from __future__ import annotations

from experiments.metrics.measures import SPAN_PREFIX, parse
from experiments.metrics.spans import parse_span


def higher_is_better(metric: str) -> bool:
    """Whether more of it is better: of scores of answers, and of whatever is no measure, it is."""
    spans = metric.removeprefix("1-").startswith(SPAN_PREFIX)
    try:
        return (parse_span(metric) if spans else parse(metric)).higher_is_better
    except ValueError:
        return True
