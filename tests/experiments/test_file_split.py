"""A split that the user's file gives: what the file may say, and what is refused in it."""

from __future__ import annotations

import pytest

from experiments.schema import Query
from experiments.splits import FileSplit
from tests.experiments.distinct_queries import dataset, distinct


def written(tmp_path, text):
    path = tmp_path / "split.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return FileSplit(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "q0000\nq0002\n",
        "\ufeffq0002\r\nq0000\r\n\r\n",
        "q0000\tpublic\nq0001\tprivate\nq0002\tpublic\n",
    ],
    ids=["list", "BOM and CRLF", "columns"],
)
def test_a_file_names_the_sides(tmp_path, text):
    split = written(tmp_path, text).divide(dataset(distinct(3)))
    assert (split.public, split.private) == (("q0000", "q0002"), ("q0001",))
    assert split.notes == ()


def test_a_query_left_out_of_both_columns_is_on_neither_side(tmp_path):
    split = written(tmp_path, "q0000\tpublic\nq0001\tprivate\n").divide(dataset(distinct(3)))
    assert split.private == ("q0001",)
    assert split.neither == ("q0002",)
    assert "1 queries are on neither side" in split.notes[0]


def test_a_query_of_both_sides_nests_the_halves(tmp_path):
    split = written(tmp_path, "q0000\tboth\nq0001\tprivate\n").divide(dataset(distinct(3)))
    assert (split.public, split.private) == (("q0000",), ("q0000", "q0001"))
    assert (split.held_out, split.neither) == (("q0001",), ("q0002",))


def test_a_file_that_tears_a_pair_apart_is_said(tmp_path):
    twins = [Query("q1", "What is heat?"), Query("q2", "what is  heat?")]
    split = written(tmp_path, "q1\n").divide(dataset(twins))
    assert "nearly equal queries stand on both sides" in split.notes[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("q0000\nq0009\n", 'line 2: "q0009" is no query'),
        ("q0000\n\nq0000\n", 'line 3: query "q0000" stands here a second time'),
        ("q0000\tpublic\nq0001\n", "line 2: 1 columns, where the first line has 2"),
        (
            "q0000\tpublic\nq0001\ttest\n",
            'line 2: the side is "test": write public, private or both',
        ),
        ("q0000\tpublic\textra\n", "line 1: 3 columns"),
        ("", "is empty"),
        (b"\xff\xfeq", "line 1: UTF-8 is wanted"),
    ],
)
def test_a_malformed_line_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        written(tmp_path, text).divide(dataset(distinct(3)))


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        FileSplit(str(tmp_path / "none")).divide(dataset(distinct(3)))
