"""The figure shows the shares that the relation holds, or is none."""

import numpy as np
import pytest

from experiments.misses.figure import miss_figure
from experiments.misses.relation import miss_relations
from tests.experiments.misses.worlds import gold_of, world


def test_bars_and_intervals_are_those_of_the_relation():
    values, gold, _ = world(1, effect=1.0)
    relation = miss_relations({"topic entropy": values}, gold)["topic entropy"]
    figure = miss_figure(relation)
    bars = figure.data[0]
    np.testing.assert_allclose(bars.y, [100 * share for share, _, _ in relation.deciles])
    _, low, high = relation.deciles[-1]
    assert bars.y[-1] + bars.error_y.array[-1] == pytest.approx(100 * high)
    assert bars.y[-1] - bars.error_y.arrayminus[-1] == pytest.approx(100 * low)
    assert "Topic entropy" in figure.layout.title.text
    assert [(line.y0, line.y1) for line in figure.layout.shapes] == [(10, 10)]
    assert [note.text for note in figure.layout.annotations] == ["no relation"]


def test_with_few_misses_the_bars_have_no_intervals():
    missed = np.arange(40) < 3
    gold = gold_of(range(40), range(40), missed, range(40))
    figure = miss_figure(miss_relations({"length": np.arange(40.0)}, gold)["length"])
    assert not figure.data[0].error_y.visible
    assert sum(figure.data[0].y) == pytest.approx(100)


def test_there_is_no_figure_of_nothing():
    gold = gold_of([0, 1], [0, 1], [0, 1], range(2))
    assert miss_figure(miss_relations({"length": [1.0, 2.0]}, gold)["length"]) is None
    assert miss_figure(miss_relations({"length": [1.0, 1.0]}, gold)["length"]) is None
