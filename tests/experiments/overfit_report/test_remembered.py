"""A report counts what was tried on its questions before, whatever the split was then."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.ledger import Ledger, LedgerEntry, ScoreRow
from experiments.overfit.rules import Rules
from experiments.overfit_report.findings import findings
from experiments.overfit_report.gather import gather
from experiments.overfit_report.gathered import Gathered
from experiments.overfit_report.remembered import remembered
from experiments.overfit_report.words import about
from tests.experiments.overfit_report.folders import PRIVATE, PUBLIC, scores, table, write_sweep

IDS = (*PUBLIC, *PRIVATE)
OTHER = (IDS[::2], IDS[1::2])
RULES = Rules(draws=200)


def earlier(name, values, metric="map@3", sides=("public", "private")):
    """A trial on the split that takes every second question."""
    by_id = dict(zip(IDS, values, strict=True))
    halves = dict(zip(("public", "private"), OTHER, strict=True))
    rows = [ScoreRow(s, metric, halves[s], np.array([by_id[q] for q in halves[s]])) for s in sides]
    return LedgerEntry(name, OTHER[0], "retrieval", rows)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.db")


@pytest.fixture
def gathered(tmp_path):
    return gather(write_sweep(tmp_path / "s", [table(scores(seed=n)) for n in range(2)]))


def test_a_new_seed_does_not_start_the_count_again(ledger, gathered):
    ledger.record("d" * 64, [earlier(f"e{n}", scores(seed=10 + n)) for n in range(5)])
    found = findings(gathered, ledger=ledger, rules=RULES)
    assert len(found.remembered.public) == 5
    assert (found.card.trials, found.card.verdict.evidence.family) == (6, 6)
    np.testing.assert_allclose(found.scores.private[2], scores(seed=10)[20:])


def test_the_gathered_trials_on_another_split_are_not_counted_twice(ledger, gathered):
    ledger.record("d" * 64, [earlier("same", scores(seed=0))])
    ledger.record("d" * 64, [earlier("sealed", scores(seed=1), sides=("public",))])
    assert remembered(gathered, ledger).count == 0


def test_what_was_sealed_on_another_split_counts_as_far_as_it_was_seen(ledger, gathered):
    ledger.record("d" * 64, [earlier("sealed", scores(seed=9), sides=("public",))])
    found = findings(gathered, ledger=ledger, rules=RULES)
    assert found.remembered.partly.shape == (1, 40)
    assert (found.card.trials, found.card.verdict.evidence.family) == (2, 2)
    assert "1 known on some of the queries alone" in about(found)[0][1]


def test_other_metrics_and_failures_are_said_and_only_the_first_count(ledger, gathered):
    ledger.record("d" * 64, [earlier("other", scores(seed=9), metric="mrr@3")])
    ledger.record("d" * 64, [LedgerEntry("failed", OTHER[0], "retrieval", [])])
    found = findings(gathered, ledger=ledger, rules=RULES)
    assert found.remembered.untold == (1, 1)
    assert found.card.verdict.evidence.family == 2
    said = about(found)[0][1]
    assert "1 by other metrics alone" in said
    assert "1 more failed and have no score" in said


def test_an_equal_public_half_with_another_private_one_is_another_trial(ledger, gathered):
    twin = np.concatenate([scores(seed=1)[:20], scores(seed=5)[20:]])
    rows = [
        ScoreRow(side, "map@3", tuple(ids), twin[part])
        for side, ids, part in (
            ("public", PUBLIC, slice(20)),
            ("private", PRIVATE, slice(20, None)),
        )
    ]
    ledger.record("d" * 64, [LedgerEntry("twin", tuple(PUBLIC), "retrieval", rows)])
    assert findings(gathered, ledger=ledger, rules=RULES).card.verdict.evidence.family == 2


def test_a_gathered_trial_whose_private_scores_were_opened_is_the_same_trial(ledger, gathered):
    opened = earlier("opened", scores(seed=1))
    ledger.record("d" * 64, [opened])
    private = gathered.private.copy()
    private[1] = np.nan
    assert remembered(replace(gathered, private=private), ledger).count == 0
    ledger.record("d" * 64, [earlier("other", scores(seed=2))])
    assert remembered(replace(gathered, private=private), ledger).count == 1


def test_the_best_of_an_old_split_is_rarely_real_on_a_new_one(tmp_path):
    """Thirty equal trials were seen on all questions; one that was lucky runs on another split."""
    real = 0
    for number in range(60):
        rng = np.random.default_rng(number)
        values = rng.choice([0.0, 0.5, 1.0], p=[0.1, 0.2, 0.7], size=(31, 40))
        ledger = Ledger(tmp_path / f"{number}.db")
        ledger.record("d", [earlier(f"e{row}", one) for row, one in enumerate(values)])
        pair = values[[0, 1 + int(values[1:, 20:].mean(axis=1).argmax())]]
        again = Gathered(
            names=("base", "best"),
            metric="map@3",
            higher_is_better=True,
            public_ids=tuple(PUBLIC),
            private_ids=tuple(PRIVATE),
            public=pair[:, :20],
            private=pair[:, 20:],
            dataset="d",
        )
        found = findings(again, ledger=ledger, rules=Rules(draws=99))
        real += found.card.verdict.word == "REAL"
    assert real <= 8  # 5 % and three standard errors; without the ledger 17 of them
