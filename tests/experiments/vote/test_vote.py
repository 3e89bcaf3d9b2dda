"""Votes: counted by hand, held to reciprocal rank fusion, and safe from malformed files."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.datasets.science_qa import ScienceQA
from experiments.ledger import Ledger
from experiments.schema import Dataset, Document, Query
from experiments.submissions.science_qa import ScienceQASubmission
from experiments.vote.agreement import changed, overlap
from experiments.vote.ballots import alike, read_ballots
from experiments.vote.count import count
from experiments.vote.study import VoteStudy
from tests.experiments.test_comparison import SAMPLE, setting

DOCUMENTS = [*"abcdef"]


def counted(ballots, weights, k=3, method="borda", queries=("q",)):
    made = count(ballots, weights, queries=queries, documents=DOCUMENTS, k=k, method=method)
    return made.by_query()


def test_borda_counts_by_hand():
    ballots = [{"q": ["a", "b", "c"]}, {"q": ["b", "a", "d"]}, {"q": ["d", "b"]}]
    # 5·3 + 3·2 = 21 for a; 5·2 + 3·3 + 1·2 = 21 for b; a stands first in the corpus; c 5, d 3 + 3
    assert counted(ballots, [5, 3, 1]) == {"q": ["a", "b", "d"]}
    assert counted(ballots, [5, 3, 2]) == {"q": ["b", "a", "d"]}
    assert counted(ballots, [5, 3, 1], k=1) == {"q": ["a"]}


def test_rrf_reads_whole_files():
    ballots = [{"q": ["a", "b", "c", "e"]}, {"q": ["f", "e", "c", "b"]}]
    scores = {n: sum(1 / (61 + b["q"].index(n)) for b in ballots if n in b["q"]) for n in "abcef"}
    best = sorted(scores, key=lambda name: (-scores[name], name))[:2]
    assert counted(ballots, [1, 1], k=2, method="rrf") == {"q": best}


def test_an_empty_list_is_a_vote_and_a_missing_row_is_none():
    assert counted([{"q": []}, {"q": ["a"]}], [2, 1]) == {"q": []}
    assert counted([{"q": []}, {"q": ["a"]}], [1, 1]) == {"q": ["a"]}
    assert counted([{}, {"q": ["a"]}], [5, 1]) == {"q": ["a"]}
    assert counted([{"q": []}, {}, {"q": ["a"]}], [2, 9, 1]) == {"q": []}


lists = st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1, max_size=6)


@given(lists, st.lists(lists, min_size=1, max_size=3), st.sampled_from(["borda", "rrf"]))
def test_a_file_with_nearly_all_the_weight_decides_what_it_names(first, others, method):
    ballots = [{"q": one} for one in (first, *others)]
    found = counted(ballots, [1e9, *[1e-3] * len(others)], method=method)["q"]
    assert found[: min(3, len(first))] == first[:3]


@given(st.lists(lists, min_size=2, max_size=4), st.floats(0.1, 9))
def test_only_the_ratio_of_the_weights_matters(several, factor):
    ballots, weights = [{"q": one} for one in several], [*range(1, len(several) + 1)]
    assert counted(ballots, weights) == counted(ballots, [8 * weight for weight in weights])
    assert len(counted(ballots, [factor * weight for weight in weights])["q"]) <= 3


def test_agreement_of_two_rankings():
    lists = [{"p": ["a", "b"], "q": [], "r": ["c"]}, {"p": ["b", "a"], "q": [], "r": ["d"]}]
    one, other = (
        count([each], [1], queries=["p", "q", "r"], documents=DOCUMENTS, k=2) for each in lists
    )
    assert overlap(one, other, 2) == pytest.approx(0.5)
    assert overlap(one, one, 2) == 1.0
    assert changed(one, other, 2) == 2


QUERIES = range(220)


@pytest.fixture(scope="module")
def board():
    corpus = [Document(f"d{i}", "t") for i in range(50)]
    return Dataset("board", corpus, [Query(str(q), f"질문 {q}") for q in QUERIES], None, "f")


def row(query, ids):
    return json.dumps(
        {"eval_id": query, "standalone_query": "?", "topk": ids, "answer": "", "references": []}
    )


@pytest.fixture
def ten(tmp_path, board):
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


def test_ten_files_two_malformed_give_a_valid_submission(tmp_path, board, ten, capsys):
    made = setting(tmp_path / "out", dataset=Loader(board))
    report = VoteStudy(setting=made, files=[*map(str, ten)]).run()
    told = capsys.readouterr().out
    for said in ("team3.csv, line 5: the line is cut off", "team3.csv, line 10: bad JSON"):
        assert said in told
    for said in ("line 1: document id 'd1' is repeated", "line 220: query 999 is not here"):
        assert f"team7.csv, {said}" in told
    assert "team7.csv, line 13: query 11 is repeated" in told
    assert "team0.csv, line" not in told
    path = report.folder / "vote" / "submission.csv"
    checked = ScienceQASubmission().check(path, board)
    assert not checked.problems
    assert checked.rows == 220
    table = pd.read_csv(report.folder / "problems.tsv", sep="\t")
    assert {*table["file"].str.extract(r"(team\d)")[0]} == {"team3", "team7"}
    files = pd.read_csv(report.folder / "files.tsv", sep="\t")
    assert files["file"].tolist() == [f"team{n}" for n in range(10)]
    assert files["gain"].isna().all(), "no labels, so no gain is claimed"
    assert files["overlap"].between(0, 1).all()


def test_formats_are_told_apart_by_content(tmp_path, board):
    first = tmp_path / "one.csv"
    first.write_text(row(1, ["d1", "d2"]) + "\n")
    run = tmp_path / "two.txt"
    run.write_text("1 Q0 d3 1 2.5 tag\n1 Q0 d4 9 9.5 tag\n1 Q0 d5\n1 Q0 d6 x 1 tag\n")
    table = tmp_path / "three.csv"
    table.write_text("id,prediction\n1,d7 d8\n2,\n")
    results = [one.results for one in read_ballots([first, run, table], board)]
    assert results[0] == {"1": ["d1", "d2"]}
    assert results[1] == {"1": ["d4", "d3"]}
    assert results[2] == {"1": ["d7", "d8"], "2": []}
    problems = read_ballots([first, run], board)[1].problems
    assert [problem.line for problem in problems] == [3, 4]


@pytest.mark.parametrize(
    "line",
    [
        '{"eval_id": 1, "topk": "d1"}',
        '{"eval_id": 1, "topk": null}',
        '{"eval_id": 1}',
        '{"eval_id": 1, "topk": [1, 2]}',
        '{"eval_id": 1, "topk": ["nowhere"]}',
        '{"eval_id": 1, "topk": ["d1"',
    ],
)
def test_a_line_that_cannot_be_read_is_no_vote_for_no_document(tmp_path, board, line):
    path = tmp_path / "bad.csv"
    path.write_text(f"{line}\n{row(2, [])}\n{row(3, ['d3'])}\n")
    (ballot,) = read_ballots([str(path)], board)
    assert ballot.results == {"2": [], "3": ["d3"]}
    assert 1 in [problem.line for problem in ballot.problems]


def test_other_bytes_and_another_order_vote_alike(tmp_path, board):
    lines = [row(q, [f"d{q % 50}", f"d{(q + 1) % 50}"] if q % 9 else []) for q in QUERIES]
    text = {
        "plain": "\n".join(lines) + "\n",
        "crlf": "\r\n".join(lines) + "\r\n",
        "bom": "\ufeff" + "\n".join(lines),
        "turned": "\n".join(lines[::-1]) + "\n",
    }
    for name, written in text.items():
        (tmp_path / f"{name}.csv").write_bytes(written.encode())
    ballots = read_ballots([str(tmp_path / f"{name}.csv") for name in text], board)
    assert all(one.results == ballots[0].results for one in ballots)
    assert [bool(one.problems) for one in ballots] == [False, True, True, False]
    assert len(alike(ballots)) == 6


def test_a_file_that_names_no_document_at_all_votes_for_that(tmp_path, board):
    for name, ids in (("none", []), ("some", ["d1"])):
        lines = [row(query, ids) for query in QUERIES]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    none, some = read_ballots([str(tmp_path / f"{n}.csv") for n in ("none", "some")], board)
    made = count([none.results, some.results], [2, 1], queries=["1"], documents=["d1"], k=1)
    assert made.by_query() == {"1": []}


def test_a_file_may_be_called_as_the_result_is(tmp_path, board, ten):
    (tmp_path / "vote.csv").write_bytes(ten[0].read_bytes())
    made = setting(tmp_path / "out", dataset=Loader(board))
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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": [1, 2, 3]}, "holds 3 and vote.files 2"),
        ({"weights": [2, -1]}, "from 0 up"),
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
