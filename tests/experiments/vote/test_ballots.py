"""Files are read as far as they can be read: no malformed line becomes a vote."""

import pytest

from experiments.vote.ballots import alike, read_ballots
from experiments.vote.count import count
from tests.experiments.vote.board import BOARD, QUERIES, row


def test_formats_are_told_apart_by_content(tmp_path):
    first = tmp_path / "one.csv"
    first.write_text(row(1, ["d1", "d2"]) + "\n")
    run = tmp_path / "two.txt"
    run.write_text("1 Q0 d3 1 2.5 tag\n1 Q0 d4 9 9.5 tag\n1 Q0 d5\n1 Q0 d6 x 1 tag\n")
    table = tmp_path / "three.csv"
    table.write_text("id,prediction\n1,d7 d8\n2,\n")
    results = [one.results for one in read_ballots([first, run, table], BOARD)]
    assert results[0] == {"1": ["d1", "d2"]}
    assert results[1] == {"1": ["d4", "d3"]}
    assert results[2] == {"1": ["d7", "d8"], "2": []}
    problems = read_ballots([first, run], BOARD)[1].problems
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
def test_a_line_that_cannot_be_read_is_no_vote_for_no_document(tmp_path, line):
    path = tmp_path / "bad.csv"
    path.write_text(f"{line}\n{row(2, [])}\n{row(3, ['d3'])}\n")
    (ballot,) = read_ballots([str(path)], BOARD)
    assert ballot.results == {"2": [], "3": ["d3"]}
    assert 1 in [problem.line for problem in ballot.problems]


def test_other_bytes_and_another_order_vote_alike(tmp_path):
    lines = [row(q, [f"d{q % 50}", f"d{(q + 1) % 50}"] if q % 9 else []) for q in QUERIES]
    text = {
        "plain": "\n".join(lines) + "\n",
        "crlf": "\r\n".join(lines) + "\r\n",
        "bom": "\ufeff" + "\n".join(lines),
        "turned": "\n".join(lines[::-1]) + "\n",
    }
    for name, written in text.items():
        (tmp_path / f"{name}.csv").write_bytes(written.encode())
    ballots = read_ballots([str(tmp_path / f"{name}.csv") for name in text], BOARD)
    assert all(one.results == ballots[0].results for one in ballots)
    assert [bool(one.problems) for one in ballots] == [False, True, True, False]
    assert len(alike(ballots)) == 6


def test_a_file_that_names_no_document_at_all_votes_for_that(tmp_path):
    for name, ids in (("none", []), ("some", ["d1"])):
        lines = [row(query, ids) for query in QUERIES]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    none, some = read_ballots([str(tmp_path / f"{n}.csv") for n in ("none", "some")], BOARD)
    made = count([none.results, some.results], [2, 1], queries=["1"], documents=["d1"], k=1)
    assert made.by_query() == {"1": []}
