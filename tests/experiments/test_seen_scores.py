"""The ledger knows what was seen of a query, whichever split showed it."""

import numpy as np
import pytest

from experiments.ledger import OPENED, Ledger, LedgerEntry, ScoreRow
from experiments.seen_scores import seen_scores

FIRST, SECOND = ("a", "b"), ("c", "d")


def entry(trial, sides, metric="map@3", public=FIRST):
    rows = [ScoreRow(side, metric, ids, np.array(values)) for side, ids, values in sides]
    return LedgerEntry(trial, public, "test", rows)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.db")


def test_both_halves_of_another_split_are_laid_over_these_queries(ledger):
    shown = entry("shown", [("public", FIRST, [0.1, 0.2]), ("private", SECOND, [0.3, np.nan])])
    sealed = entry("sealed", [("public", ("b", "c"), [0.5, 0.6])], public=("b", "c"))
    ledger.record("data", [shown, sealed, entry("far", [("public", ("x",), [1.0])])])
    found = seen_scores(ledger, "data", "map@3", ("c", "a", "b"))
    np.testing.assert_allclose(found.scores, [[0.3, 0.1, 0.2], [0.6, np.nan, 0.5]])
    assert (found.failed, len(found.by_others)) == (0, 0)


def test_failed_trials_and_those_by_other_metrics_are_told_apart(ledger):
    other = entry("other", [("public", FIRST, [0.5, 0.5])], metric="mrr@3")
    both = entry("both", [("public", FIRST, [0.5, 0.5])], metric="mrr@3")
    ledger.record("data", [entry("failed", []), other, both])
    ledger.record("data", [entry("both", [("public", FIRST, [0.5, 0.5])])])
    found = seen_scores(ledger, "data", "map@3", ("b", "c"))
    assert (len(found.scores), found.failed) == (1, 1)
    assert found.by_others.tolist() == [[True, False]]


def test_what_was_opened_can_be_left_out(ledger):
    ledger.record("data", [entry("a", [("public", FIRST, [1, 1]), (OPENED, SECOND, [0, 1])])])
    assert len(seen_scores(ledger, "data", "map@3", SECOND).scores) == 1
    assert len(seen_scores(ledger, "data", "map@3", SECOND, opened=False).scores) == 0


def test_an_empty_ledger_is_not_made(ledger, tmp_path):
    assert seen_scores(ledger, "data", "map@3", FIRST).scores.shape == (0, 2)
    assert not any(tmp_path.iterdir())
