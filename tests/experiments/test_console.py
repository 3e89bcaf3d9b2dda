"""What a run shows: tables that keep their columns in a narrow terminal, and honest counts."""

import pytest

from experiments import console
from experiments.console import show_dataset, terminal
from experiments.metrics.significance import PairedDifference
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


@pytest.mark.parametrize(
    ("low", "p", "told"), [(-0.01, 0.001, True), (0.01, 0.001, False), (-0.01, 0.5, False)]
)
def test_a_small_p_beside_an_interval_that_spans_0_is_explained(capsys, low, p, told):
    difference = PairedDifference(0.02, low, 0.05, p, 30, 2, 68, 100)
    against = {"mine": {"public": {"map": difference}, "all": {"map": difference}}}
    console._show_differences(terminal(), against, "bm25", "map")
    assert ("never narrower than one full win" in capsys.readouterr().out) is told
