"""The report at the end of a sweep stands in its folder, or the sweep says why there is none."""

import numpy as np
import pytest

from experiments.overfit_report.of_sweep import sweep_report
from experiments.schema import Dataset, Document, Query
from experiments.splits import RandomSplit
from tests.experiments.overfit_report.folders import PRIVATE, PUBLIC, scores, table, write_sweep
from tests.experiments.sweeps.processes import finish, sweeps, words, write_dataset


def dataset(qrels):
    queries = [Query(name, f"{name}은 무엇인가?") for name in (*PUBLIC, *PRIVATE)]
    return Dataset("sample", [Document("x", "물")], queries, qrels, "d" * 64)


def test_the_page_stands_in_the_folder_and_the_verdict_is_printed(tmp_path, capsys):
    folder = write_sweep(tmp_path / "s", [table(scores(seed=n)) for n in range(3)])
    report = sweep_report(folder, dataset({}), RandomSplit(), None)
    assert report.page == folder / "overfit.html"
    assert report.page.exists()
    assert report.word == "UNRESOLVED"
    assert report.measures["verdict/trials"] == 2
    said = capsys.readouterr().out
    assert "against k=0: UNRESOLVED. " in said
    assert f"Report: {report.page}" in said


def test_a_sweep_of_one_trial_says_why_there_is_no_report(tmp_path, capsys):
    folder = write_sweep(tmp_path / "s", [table(scores())])
    assert sweep_report(folder, dataset({}), RandomSplit(), None) is None
    assert "No overfitting report: " in (said := capsys.readouterr().out)
    assert "one scored trial" in said
    assert not (folder / "overfit.html").exists()


def test_a_sweep_without_labels_says_so(tmp_path, capsys):
    folder = write_sweep(tmp_path / "s", [None, None])
    assert sweep_report(folder, dataset(None), RandomSplit(), None) is None
    assert "sample has no labels" in capsys.readouterr().out


def test_trials_that_share_no_scored_query_end_in_a_sentence(tmp_path, capsys):
    halves = [scores(), scores()]
    halves[0][:10], halves[1][10:20] = np.nan, np.nan
    folder = write_sweep(tmp_path / "s", [table(values) for values in halves])
    assert sweep_report(folder, dataset({}), RandomSplit(), None) is None
    assert "no query that all of these trials have scored" in capsys.readouterr().out


@pytest.mark.slow
def test_a_real_sweep_ends_with_its_verdict_and_stays_the_same_when_repeated(tmp_path):
    data = write_dataset(tmp_path / "data")
    pages = []
    for _ in range(2):
        code, said, complaint = finish(words(tmp_path, data, "retriever.k1=0.5,2.0"))
        assert code == 0, complaint
        assert "against k1=0.5: " in said
        pages.append((sweeps(tmp_path)[-1] / "overfit.html").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
