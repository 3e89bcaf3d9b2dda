"""What a report reads from the folders of sweeps and runs."""

import numpy as np
import pytest

from experiments.overfit_report.gather import gather
from tests.experiments.overfit_report.folders import (
    PRIVATE,
    PUBLIC,
    scores,
    table,
    write_run,
    write_sweep,
)


def test_a_sweep_is_read_trial_by_trial_whatever_the_order_of_its_rows(tmp_path):
    first, second = scores(seed=1), scores(seed=2)
    found = gather(write_sweep(tmp_path / "s", [table(first), table(second)]))
    assert found.names == ("k=0", "k=1")
    assert found.public_ids == tuple(PUBLIC)
    assert found.private_ids == tuple(PRIVATE)
    assert (found.public == np.stack([first[:20], second[:20]])).all()
    assert (found.private == np.stack([first[20:], second[20:]])).all()
    assert found.dataset == "d" * 64
    assert found.folders[1] == tmp_path / "s" / "0001" / "bm25"
    assert found.notes == ()


def test_a_run_with_several_pipelines_is_read_in_its_own_order(tmp_path):
    tables = {"zebra": table(scores(seed=1)), "ant": table(scores(seed=2))}
    assert gather(write_run(tmp_path / "r", tables)).names == ("zebra", "ant")


def test_a_failed_trial_is_left_out_and_said(tmp_path):
    tables = [table(scores(seed=1)), None, table(scores(seed=2))]
    found = gather(write_sweep(tmp_path / "s", tables))
    assert found.names == ("k=0", "k=2")
    assert found.notes == ("Failed and without scores: 1 of the trials.",)


def test_trials_of_one_name_are_told_apart(tmp_path):
    """Long swept values are cut for reading."""
    tables = [table(scores(seed=n)) for n in range(3)]
    found = gather(write_sweep(tmp_path / "s", tables, names=["k=aaa…", "k=b", "k=aaa…"]))
    assert found.names == ("k=aaa… (1)", "k=b", "k=aaa… (3)")
    assert len(found.public) == 3


def test_a_sealed_sweep_has_no_private_half(tmp_path):
    tables = [table(scores(seed=n), sides=("public",)) for n in range(2)]
    found = gather(write_sweep(tmp_path / "s", tables))
    assert found.private_ids == ()
    assert found.private.shape == (2, 0)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (table(scores(), sides=("public",)), "other halves"),
        (table(scores(), metric="ndcg@10"), "other metrics"),
    ],
)
def test_unlike_trials_are_refused(tmp_path, second, message):
    with pytest.raises(ValueError, match=message):
        gather(write_sweep(tmp_path / "s", [table(scores()), second]))


def test_trials_on_other_datasets_are_refused(tmp_path):
    folder = write_sweep(tmp_path / "s", [table(scores()), table(scores())])
    summary = folder / "0001" / "summary.json"
    summary.write_text(summary.read_text().replace("d" * 64, "e" * 64))
    with pytest.raises(ValueError, match="another dataset"):
        gather(folder)


def test_an_unknown_metric_names_the_known_ones(tmp_path):
    with pytest.raises(ValueError, match=r"not scored by mrr@3: there are map@3"):
        gather(write_sweep(tmp_path / "s", [table(scores()), table(scores())]), "mrr@3")


@pytest.mark.parametrize(("tables", "message"), [([], "no scored"), ([1], "one scored trial")])
def test_one_trial_is_not_enough(tmp_path, tables, message):
    folder = write_sweep(tmp_path / "s", [table(scores()) for _ in tables])
    with pytest.raises(ValueError, match=message):
        gather(folder)


def test_a_folder_of_something_else_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no sweep and no run"):
        gather(tmp_path)


def test_a_rate_of_failure_is_better_when_it_is_small(tmp_path):
    tables = [table(scores(seed=n), metric="failure_rate@3") for n in range(2)]
    assert not gather(write_sweep(tmp_path / "s", tables)).higher_is_better


def test_a_trial_without_a_score_is_left_out_and_said(tmp_path):
    tables = [table(scores(seed=0)), table(np.full(40, np.nan)), table(scores(seed=1))]
    found = gather(write_sweep(tmp_path / "s", tables))
    assert found.names == ("k=0", "k=2")
    assert found.notes == ('The trial "k=1" has no public score by map@3: left out.',)
    with pytest.raises(ValueError, match="1 of these trials has a score by map@3"):
        gather(write_sweep(tmp_path / "t", tables[:2]))
