"""Every trial counts, once, whoever writes it and however the process ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from experiments.ledger import Ledger, LedgerEntry, ScoreRow
from experiments.ledger_table import LedgerTable
from experiments.splits import RandomSplit
from tests.experiments.test_comparison import compare, hybrid, pipeline, setting

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ("q1", "q2", "q3")

WRITER = """
import sys
from experiments.ledger import Ledger, LedgerEntry
ledger = Ledger(sys.argv[1])
for number in range(int(sys.argv[3])):
    ledger.record("data", [LedgerEntry(f"{sys.argv[2]}{number}", ("q1",), "test")])
    print(number, flush=True)
"""


def entry(trial, public=PUBLIC, experiment="test", values=(1.0, 0.5, np.nan), metric="map@3"):
    row = ScoreRow("public", metric, public, np.array(values[: len(public)]))
    return LedgerEntry(trial, public, experiment, [row])


def writer(path, name, count):
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "new" / "ledger.db")


def test_a_trial_counts_once_however_often_and_wherever_it_is_run(ledger):
    ledger.record("data", [entry("a"), entry("b"), entry("a")])
    ledger.record("data", [entry("a", experiment="later")])
    assert ledger.count("data") == 2
    assert ledger.count("other data") == 0
    assert [(t.experiment, t.public, t.trials) for t in ledger.tallies("data")] == [("test", 3, 2)]


def test_another_public_half_adds_to_the_count_and_does_not_start_it_again(ledger):
    ledger.record("data", [entry("a"), entry("b"), entry("a", public=("q2", "q3"))])
    assert ledger.count("data") == 3
    assert ledger.count("data", PUBLIC) == 2
    assert [tally.trials for tally in ledger.tallies("data")] == [2, 1]


def test_a_failed_trial_counts_and_its_scores_are_added_when_it_succeeds(ledger):
    ledger.record("data", [LedgerEntry("a", PUBLIC, "test")])
    assert ledger.count("data") == 1
    assert ledger.scores("data", "map@3", PUBLIC).shape == (0, 3)
    assert (ledger.failed("data"), ledger.has_scores("data", "a", PUBLIC)) == (1, False)
    ledger.record("data", [entry("a")])
    assert ledger.count("data") == 1
    assert (ledger.failed("data"), ledger.has_scores("data", "a", PUBLIC)) == (0, True)
    assert not ledger.has_scores("data", "a", ("q1",))
    assert ledger.scores("data", "map@3", PUBLIC).shape == (1, 3)


def test_the_rows_come_back_oldest_first_with_their_gaps(ledger):
    ledger.record("data", [entry("b"), entry("a", values=(0.0, 0.25, 1.0))])
    ledger.record("data", [entry("c", public=("q2", "q3")), entry("b", metric="mrr@3")])
    found = ledger.scores("data", "map@3", PUBLIC)
    np.testing.assert_array_equal(found, [[1.0, 0.5, np.nan], [0.0, 0.25, 1.0]])
    assert ledger.scores("data", "map@3", PUBLIC, side="private").shape == (0, 3)


def test_an_empty_ledger_counts_nothing_and_leaves_no_file(ledger):
    assert ledger.count("data") == 0
    assert ledger.tallies("data") == []
    assert ledger.scores("data", "map@3", PUBLIC).shape == (0, 3)
    assert not Path(ledger.path).exists()


def test_a_batch_is_recorded_whole_or_not_at_all(ledger):
    def entries():
        yield entry("a")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        ledger.record("data", entries())
    assert ledger.count("data") == 0


def test_ten_thousand_points_are_quick_and_small(ledger):
    queries = tuple(f"q{n}" for n in range(110))
    values = np.random.default_rng(0).random((10_000, 110))
    rows = [ScoreRow("public", "map@3", queries, row) for row in values]
    started = time.perf_counter()
    ledger.record("data", [LedgerEntry(f"{n}", queries, "t", [r]) for n, r in enumerate(rows)])
    assert time.perf_counter() - started < 5
    assert Path(ledger.path).stat().st_size < 10_000 * (110 * 4 + 250)
    np.testing.assert_allclose(ledger.scores("data", "map@3", queries), values, atol=1e-7)


def test_two_processes_lose_no_trial(ledger):
    both = [writer(ledger.path, name, 40) for name in "ab"]
    assert [process.wait(60) for process in both] == [0, 0]
    assert ledger.count("data") == 80
    for process in both:
        process.stdout.close()


def test_a_killed_process_loses_no_trial_it_reported(ledger):
    with writer(ledger.path, "a", 100_000) as process:
        for _ in range(20):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        reported = 20 + len(process.stdout.readlines())
    assert reported <= ledger.count("data") <= reported + 1
    ledger.record("data", [entry("b")])


def test_a_file_that_is_no_ledger_is_named_and_kept(tmp_path):
    path = tmp_path / "ledger.db"
    path.write_text("not a ledger" * 100)
    with pytest.raises(ValueError, match=r"ledger\.db cannot be read"):
        Ledger(path).count("data")
    assert path.read_text().startswith("not a ledger")


def test_every_pipeline_of_an_experiment_is_recorded_with_its_rows(tmp_path, ledger):
    variants = {"bm25": {}, "two": {"retriever": hybrid()}}
    report = compare(tmp_path, variants=variants, ledger=ledger)
    compare(tmp_path, variants=variants, ledger=ledger)
    shared = setting(tmp_path, ledger=ledger)
    dataset = shared.dataset.load()
    split = shared.split.divide(dataset)
    assert ledger.count(dataset.fingerprint) == 2
    for side in ("public", "private"):
        rows = ledger.scores(dataset.fingerprint, "map@3", split.of(side), side)
        means = [report.means[name][side]["map@3"].mean for name in variants]
        np.testing.assert_allclose(np.nanmean(rows, axis=1), means, rtol=1e-6)


def test_a_sealed_split_records_no_private_row_and_the_same_trial(tmp_path, ledger):
    compare(tmp_path, ledger=ledger, split=RandomSplit(sealed=True))
    dataset = setting(tmp_path).dataset.load()
    private = RandomSplit().divide(dataset).private
    assert len(ledger.scores(dataset.fingerprint, "map@3", private, "private")) == 0
    compare(tmp_path, ledger=ledger)
    assert len(ledger.scores(dataset.fingerprint, "map@3", private, "private")) == 1
    assert ledger.count(dataset.fingerprint) == 1


def test_a_trial_that_raises_is_counted(tmp_path, ledger):
    class Broken:
        def plan(self, queries):
            raise RuntimeError("broken")

        def identity(self):
            return "broken"

    with pytest.raises(RuntimeError, match="broken"):
        compare(tmp_path, pipeline(query=Broken()), ledger=ledger)
    assert ledger.count(setting(tmp_path).dataset.load().fingerprint) == 1


def test_the_table_says_how_many_and_what_for(tmp_path, ledger, capsys):
    compare(tmp_path, ledger=ledger)
    compare(tmp_path, ledger=ledger, split=RandomSplit(seed=1))
    capsys.readouterr()
    LedgerTable(setting=setting(tmp_path, ledger=ledger)).run()
    said = capsys.readouterr().out
    assert "2 distinct trials, 1 of them" in said
    assert "0 failed" in said
    assert "p-value" in said
    with pytest.raises(ValueError, match="ledger=null"):
        LedgerTable(setting=setting(tmp_path)).run()


def test_a_ledger_that_cannot_be_written_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"ledger\.path=…, or count nothing with ledger=null"):
        Ledger(tmp_path).record("d", [])
