"""Less of a miss is better, more of everything else."""

from __future__ import annotations

import pytest

from experiments.metrics.direction import higher_is_better


@pytest.mark.parametrize(
    ("metric", "up"),
    [
        ("map@3", True),
        ("span_recall@10", True),
        ("answer_f1", True),
        ("1-recall@20", False),
        ("failure_rate@20", False),
        ("1-span_recall@20", False),
        ("span_failure_rate@20", False),
    ],
)
def test_less_of_a_miss_is_better(metric: str, up: bool) -> None:
    assert higher_is_better(metric) is up
