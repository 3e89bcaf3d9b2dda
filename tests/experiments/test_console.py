"""A terminal that is too narrow for a table gets longer lines, not empty columns."""

import pytest

from experiments.console import terminal


@pytest.mark.parametrize(("columns", "width"), [("20", 60), ("100", 100)])
def test_a_table_has_room_for_a_metric(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal().width == width
