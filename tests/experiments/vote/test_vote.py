"""Files become one submission, and what each of them adds is told."""

import json

import numpy as np
import pandas as pd
import pytest

from experiments.datasets.science_qa import ScienceQA
from experiments.ledger import Ledger
from experiments.submissions.science_qa import ScienceQASubmission
from experiments.vote.count import count
from experiments.vote.study import VoteStudy
from tests.experiments.test_comparison import SAMPLE, setting
from tests.experiments.vote.board import BOARD, QUERIES, row


@pytest.fixture
def ten(tmp_path):
    rng = np.random.default_rng(0)
    paths = []
    for number in range(10):
        lines = [row(q, [f"d{d}" for d in rng.permutation(50)[:3]]) for q in QUERIES]
        if number == 3:
            lines[4], lines[9] = '{"eval_id": 4, "topk": ["d1"', "not JSON"
        if number == 7:
            lines[0] = row(0, ["d1", "d1", "nowhere"])
            lines[219] = row(999, ["d1"])
            lines[12] = lines[11]
        paths.append(tmp_path / f"team{number}.csv")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


class Loader:
    def __init__(self, dataset):
        self.dataset = dataset

    def load(self):
        return self.dataset


def test_ten_files_two_malformed_give_a_valid_submission(tmp_path, ten, capsys):
    made = setting(tmp_path / "out", dataset=Loader(BOARD))
    report = VoteStudy(setting=made, files=[*map(str, ten)]).run()
    told = capsys.readouterr().out
    for said in ("team3.csv, line 5: the line is cut off", "team3.csv, line 10: bad JSON"):
        assert said in told
    for said in ("line 1: document id 'd1' is repeated", "line 220: query 999 is not here"):
        assert f"team7.csv, {said}" in told
    assert "team7.csv, line 13: query 11 is repeated" in told
    assert "team0.csv, line" not in told
    path = report.folder / "vote" / "submission.csv"
    checked = ScienceQASubmission().check(path, BOARD)
    assert not checked.problems
    assert checked.rows == 220
    table = pd.read_csv(report.folder / "problems.tsv", sep="\t")
    assert {*table["file"].str.extract(r"(team\d)")[0]} == {"team3", "team7"}
    files = pd.read_csv(report.folder / "files.tsv", sep="\t")
    assert files["file"].tolist() == [f"team{n}" for n in range(10)]
    assert files["gain"].isna().all(), "no labels, so no gain is claimed"
    assert files["overlap"].between(0, 1).all()


def test_a_file_may_be_called_as_the_result_is(tmp_path, ten):
    (tmp_path / "vote.csv").write_bytes(ten[0].read_bytes())
    made = setting(tmp_path / "out", dataset=Loader(BOARD))
    report = VoteStudy(setting=made, files=[str(tmp_path / "vote.csv"), str(ten[1])]).run()
    files = pd.read_csv(report.folder / "files.tsv", sep="\t")
    assert files["file"].tolist() == ["1 vote", "2 team1"]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Three files on the sample: the right answer first for all, half, and none of the queries."""
    folder = tmp_path_factory.mktemp("files")
    data = ScienceQA(path=SAMPLE).load()
    names = [document.id for document in data.corpus]
    for name, share in (("good", 1.0), ("half", 0.5), ("bad", 0.0)):
        lines = []
        for place, query in enumerate(data.queries):
            gold = [n for n, grade in data.qrels.get(query.id, {}).items() if grade > 0]
            right = gold[:1] if place < share * len(data.queries) else []
            wrong = [n for n in names[:9] if n not in gold]
            lines.append(row(int(query.id), (right + wrong)[:3] if gold else []))
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_with_labels_each_file_has_a_paired_gain_and_the_ledger_counts(tmp_path, labelled, capsys):
    files = [str(labelled / f"{name}.csv") for name in ("good", "half", "bad")]
    ledger = Ledger(tmp_path / "ledger.db")
    made = setting(tmp_path / "out", ledger=ledger)
    report = VoteStudy(setting=made, files=files, weights=[1, 3, 1]).run()
    table = pd.read_csv(report.folder / "files.tsv", sep="\t")
    rows = table[table["half"] == "public"].set_index("file")
    assert (rows["low"] <= rows["gain"]).all()
    assert (rows["gain"] <= rows["high"]).all()
    assert rows.loc["bad", "gain"] < rows.loc["good", "gain"]
    value = json.loads((report.folder / "summary.json").read_text())["pipelines"]["vote"]
    assert value["difference"]["public"]["map@3"]["mean"] < 0, "held against the best file"
    assert "trials like any other" in capsys.readouterr().out
    dataset = ScienceQA(path=SAMPLE).load()
    assert ledger.count(dataset.fingerprint) == 7  # the files, the vote, and it without each
    private = made.split.divide(dataset).private
    assert len(ledger.scores(dataset.fingerprint, "map@3", private, "private")) == 7


def test_each_vote_is_counted_once(tmp_path, labelled, monkeypatch):
    counted = []

    def counting(ballots, weights, **options):
        counted.append([*weights])
        return count(ballots, weights, **options)

    monkeypatch.setattr("experiments.vote.poll.count", counting)
    files = [str(labelled / f"{name}.csv") for name in ("good", "half", "bad")]
    report = VoteStudy(setting=setting(tmp_path), files=files, weights=[1, 3, 0]).run()
    assert counted == [[1, 3, 0], [0, 3, 0], [1, 0, 0], [1, 3, 0]]
    table = pd.read_csv(report.folder / "files.tsv", sep="\t").set_index(["half", "file"])
    assert table["gain"].loc[[("public", "bad"), ("private", "bad")]].tolist() == [0, 0]
    assert table.loc[("public", "bad"), "questions changed"] == 0


def test_without_the_only_file_that_has_a_weight_nothing_is_left_to_hold_it_against(
    tmp_path, labelled
):
    files = [str(labelled / f"{name}.csv") for name in ("good", "half")]
    report = VoteStudy(setting=setting(tmp_path), files=files, weights=[2, 0]).run()
    table = pd.read_csv(report.folder / "files.tsv", sep="\t").set_index(["half", "file"])
    assert table.index.tolist() == [
        (half, name) for half in ("public", "private") for name in ("good", "half")
    ]
    assert table["gain"].isna().tolist() == [True, False] * 2
    assert table["questions changed"].tolist() == [150, 0] * 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": [1, 2, 3]}, "holds 3 and vote.files 2"),
        ({"weights": [2, -1]}, "from 0 to"),
        ({"k": 0}, "vote.k is 0"),
        ({"files": []}, "names 0 files"),
        ({"weights": [0, 0]}, "one of them above 0"),
        ({"method": "condorcet"}, "borda or rrf"),
        ({"files": ["x.csv"]}, "names 1 file:"),
        ({"files": ["x.csv", "y.csv"]}, "There is no file x.csv"),
    ],
)
def test_mistakes_are_named(tmp_path, labelled, options, said):
    files = [str(labelled / "good.csv"), str(labelled / "half.csv")]
    with pytest.raises(ValueError, match=said):
        VoteStudy(**{"setting": setting(tmp_path), "files": files, **options}).run()


def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path, labelled):
    bad = tmp_path / "bad.csv"
    bad.write_text("...\n")
    with pytest.raises(ValueError, match="no line that science_sample can use: line 1"):
        VoteStudy(setting=setting(tmp_path), files=[str(labelled / "good.csv"), str(bad)]).run()
