"""What a run shows: tables that keep their columns in a narrow terminal, and honest counts."""

import pytest

from experiments.console import show_dataset, terminal
from experiments.schema import Dataset, Document, Query


@pytest.mark.parametrize(("columns", "width"), [("20", 60), ("100", 100)])
def test_a_table_has_room_for_a_metric(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal().width == width


def test_a_question_that_was_judged_and_has_no_gold_passage_has_none(capsys):
    qrels = {"gold": {"a": 0, "b": 2}, "zeros": {"a": 0}, "empty": {}}
    queries = [Query(name, name) for name in (*qrels, "unlabelled")]
    show_dataset(Dataset("set", [Document("a", "t")], queries, qrels, "f"))
    assert "4 questions, 1 of them with a gold passage" in capsys.readouterr().out
