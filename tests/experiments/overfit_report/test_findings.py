"""The ledger's trials join the gathered ones, each once."""

import numpy as np
import pytest

from experiments.ledger import Ledger, LedgerEntry, ScoreRow
from experiments.overfit.rules import Rules
from experiments.overfit_report.findings import findings, layout_of
from experiments.overfit_report.gather import gather
from experiments.schema import Dataset, Document, Query
from experiments.splits import RandomSplit
from tests.experiments.overfit_report.folders import PRIVATE, PUBLIC, scores, table, write_sweep

RULES = Rules(draws=200)


def entry(name, values, private=True):
    rows = [ScoreRow("public", "map@3", tuple(PUBLIC), values[:20])]
    if private:
        rows.append(ScoreRow("private", "map@3", tuple(PRIVATE), values[20:]))
    return LedgerEntry(name, tuple(PUBLIC), "retrieval", rows)


@pytest.fixture
def gathered(tmp_path):
    return gather(write_sweep(tmp_path / "s", [table(scores(seed=n)) for n in range(3)]))


def test_without_a_ledger_only_the_gathered_trials_count(gathered):
    found = findings(gathered, rules=RULES)
    assert (found.remembered.count, found.card.trials) == (0, 2)


def test_the_ledgers_copies_of_gathered_trials_count_once(tmp_path, gathered):
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.record("d" * 64, [entry(f"{n}", scores(seed=n)) for n in range(3)])
    assert findings(gathered, ledger=ledger, rules=RULES).remembered.count == 0


def test_equal_rows_of_the_ledger_count_once_and_others_each(tmp_path, gathered):
    ledger = Ledger(tmp_path / "ledger.db")
    earlier = [entry("a", scores(seed=8)), entry("b", scores(seed=8)), entry("c", scores(seed=9))]
    ledger.record("d" * 64, earlier)
    ledger.record("e" * 64, [entry("another dataset", scores(seed=10))])
    found = findings(gathered, ledger=ledger, rules=RULES)
    assert found.remembered.count == 2
    assert found.scores.names[3:] == ["earlier trial 1", "earlier trial 2"]
    assert np.allclose(found.scores.private[3], scores(seed=8)[20:])


def test_a_row_whose_private_half_nobody_saw_joins_in_public_alone(tmp_path, gathered):
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.record("d" * 64, [entry("sealed", scores(seed=8), private=False)])
    found = findings(gathered, ledger=ledger, rules=RULES)
    assert found.remembered.count == 1
    assert np.isnan(found.scores.private[3]).all()
    assert found.card.verdict.evidence.family == 2


def test_a_sealed_sweep_with_a_ledger_has_a_card(tmp_path):
    tables = [table(scores(seed=n), sides=("public",)) for n in range(2)]
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.record("d" * 64, [entry("sealed", scores(seed=8), private=False)])
    ledger.record("d" * 64, [entry("shown", scores(seed=9))])
    found = findings(gather(write_sweep(tmp_path / "s", tables)), ledger=ledger, rules=RULES)
    assert found.scores.private is None
    assert found.remembered.count == 2
    assert found.card.private is None
    assert "open_private" in found.card.verdict.sentence or "seal" in found.card.verdict.sentence


def test_an_unknown_baseline_or_trial_is_refused(gathered):
    with pytest.raises(ValueError, match='no trial "x"'):
        findings(gathered, baseline="x", rules=RULES)
    with pytest.raises(ValueError, match='no trial "x"'):
        findings(gathered, trial="x", rules=RULES)


def test_the_layout_keeps_equal_questions_together():
    queries = [Query("a", "물은?"), Query("b", "불은 무엇으로 끄나?"), Query("c", "물은?")]
    dataset = Dataset("d", [Document("x", "물")], queries, {}, "f" * 64)
    layout = layout_of(dataset, RandomSplit(), ["c", "b", "a"])
    assert layout.groups[0] == layout.groups[2] != layout.groups[1]
    assert len(layout.strata) == 3
