"""What a label file may say: grades, a header or none, and which of several files is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.datasets.beir import Beir
from experiments.datasets.jsonl import JsonLines
from tests.experiments.datasets.layout_files import QRELS, QUERIES, jsonl, sentence


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("1\ta\t1\n9\ta\t1\n9\tb\t1\n", 2, 'query "9" is not in queries.jsonl (2 such labels'),
        ("1\ta\t1\n1\tz\t1\n", 2, 'document "z" is not in corpus.jsonl (1 such labels'),
        ("1\ta\t0.5\n", 1, 'the grade "0.5" is not a whole number'),
        ("1\ta\t1\n1\tb\tyes\n", 2, 'the grade "yes" is not a whole number'),
        ("1\ta\t2000000000\n", 1, "is too large: give one from -999999999 to 999999999"),
        ("1\ta\t-" + "9" * 5000 + "\n", 1, "is too large"),
        ("1\ta\t1\r2\tb\t1\r", 1, r"ends in \r alone"),
        ("1\ta\t１\n", 1, "is not a whole number"),
        ("1\ta\n", 1, "this has 2"),
        ("1 0 a 1 x\n", 1, "this has 5"),
        ("1\ta\t1\n1\ta\t2\n", 2, "get the grade 2 here and 1 on line 1"),
    ],
)
def test_a_broken_label_line_is_named(tmp_path: Path, content: str, line: int, says: str) -> None:
    message = sentence(JsonLines, jsonl(tmp_path, qrels_tsv=content))
    assert f"qrels.tsv, line {line}: " in message
    assert says in message


@pytest.mark.parametrize("name", ["query", "topic", "qid"])
def test_a_first_label_is_no_header_whatever_its_query_is_called(tmp_path: Path, name: str) -> None:
    queries = QUERIES.replace('"1"', f'"{name}"')
    folder = jsonl(tmp_path, queries_jsonl=queries, qrels_tsv=f"{name}\ta\t1\n2\tb\t1\n")
    assert JsonLines(path=str(folder)).load().qrels == {name: {"a": 1}, "2": {"b": 1}}


@pytest.mark.parametrize(
    ("header", "notes"),
    [
        ("query-id\tcorpus-id\tscore", ()),
        ("topic\titer\tdocno\trel", ()),
        (
            "Frage\tText\tNote",
            ('qrels.tsv: the first row is read as a header: "Frage\tText\tNote".',),
        ),
    ],
)
def test_a_header_has_no_number_for_a_grade(
    tmp_path: Path, header: str, notes: tuple[str, ...]
) -> None:
    dataset = JsonLines(path=str(jsonl(tmp_path, qrels_tsv=f"{header}\n{QRELS}"))).load()
    assert dataset.qrels == {"1": {"a": 1}}
    assert dataset.notes == notes


def test_a_grade_may_have_zeros_in_front(tmp_path: Path) -> None:
    folder = jsonl(tmp_path, qrels_tsv="1\ta\t+0000000000999999999\n")
    assert JsonLines(path=str(folder)).load().qrels == {"1": {"a": 999_999_999}}


def test_a_label_file_with_a_header_alone_is_refused(tmp_path: Path) -> None:
    folder = jsonl(tmp_path, qrels_tsv="query-id\tcorpus-id\tscore\n")
    assert "no label" in sentence(JsonLines, folder)


def test_a_label_file_must_be_named_where_there_are_several(tmp_path: Path) -> None:
    folder = jsonl(tmp_path)
    (folder / "qrels").mkdir()
    for split in ("train", "test"):
        (folder / "qrels" / f"{split}.tsv").write_text(QRELS)
    assert "label files (qrels, test, train)" in sentence(Beir, folder)
    message = sentence(Beir, folder, labels="dev")
    assert "dataset.labels=dev" in message
    assert "qrels, test, train" in message


def test_two_label_files_of_one_name_are_refused(tmp_path: Path) -> None:
    assert "two label files" in sentence(JsonLines, jsonl(tmp_path, qrels_txt=QRELS))
