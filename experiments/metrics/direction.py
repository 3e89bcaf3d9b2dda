"""Which way of a metric is better, told by its name."""

from __future__ import annotations

from experiments.metrics.measures import counts_characters, parse
from experiments.metrics.spans import parse_span


def higher_is_better(metric: str) -> bool:
    """Whether more of it is better: of scores of answers, and of whatever is no measure, it is."""
    try:
        measure = parse_span(metric) if counts_characters(metric) else parse(metric)
        return measure.higher_is_better
    except ValueError:
        return True
