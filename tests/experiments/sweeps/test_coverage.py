"""A trial does not look better for the queries that it failed to score."""

import json

import pytest

from experiments.schema import Mean, Report
from experiments.sweeps.attempt import WORST, objective
from experiments.sweeps.table import line, write_trials
from experiments.sweeps.trial import Ending, best


def ending(number, score, scored):
    return Ending(
        number=number,
        name=f"k={number}",
        values={"k": str(number)},
        state="run",
        seconds=1.0,
        metric="f1",
        scores={"public": {"f1": score}},
        scored={"public": {"f1": scored}},
    )


def report(mean, n_scored, n_total, **changes):
    means = {"rag": {"public": {"f1": Mean(mean, n_scored, n_total)}}}
    return Report(primary=mean, metric="f1", means=means, **changes)


def test_no_best_among_trials_that_scored_other_numbers_of_queries():
    whole, failing = ending(0, 0.75, "10/10"), ending(1, 0.875, "6/10")
    assert best([whole, failing]) is None
    assert best([whole, ending(1, 0.875, "10/10")]).number == 1


def test_a_score_says_what_it_covers_where_that_is_not_everything(tmp_path):
    assert "0.8750 (6/10)" in line(ending(1, 0.875, "6/10"), 1, 2, False)
    assert "(" not in line(ending(0, 0.75, "10/10"), 1, 2, False)
    write_trials(tmp_path / "trials.json", [ending(1, 0.875, "6/10")])
    (row,) = json.loads((tmp_path / "trials.json").read_text(encoding="utf-8"))
    assert row["scored"] == {"public": {"f1": "6/10"}}


@pytest.mark.parametrize(("whole", "failing", "higher"), [(0.75, 0.875, True), (0.5, 0.25, False)])
def test_a_sweeper_takes_a_query_without_a_score_for_the_worst(whole, failing, higher):
    full = objective(report(whole, 10, 10, higher_is_better=higher))
    lossy = objective(report(failing, 6, 10, higher_is_better=higher))
    assert full == (whole if higher else -whole)
    assert WORST <= lossy < full


def test_a_trial_without_any_score_is_the_worst():
    assert objective(report(None, 0, 10)) == WORST
