"""A file that is empty, in another encoding, in another place or layout gets one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.datasets.beir import Beir
from experiments.datasets.jsonl import JsonLines
from experiments.datasets.science_qa import ScienceQA
from experiments.datasets.trec import Trec
from tests.experiments.datasets.layout_files import jsonl, sentence, write


@pytest.mark.parametrize("name", ["corpus_jsonl", "queries_jsonl", "qrels_tsv"])
@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    message = sentence(JsonLines, jsonl(tmp_path, **{name: content}))
    assert f"{name.replace('_', '.')} is empty" in message


def test_a_corpus_of_empty_documents_is_refused(tmp_path: Path) -> None:
    folder = jsonl(tmp_path, corpus_jsonl='{"id": "a", "text": " "}\n')
    assert "every document is empty" in sentence(JsonLines, folder)


@pytest.mark.parametrize(
    ("encoding", "text"), [("cp949", "물은 언다"), ("cp1252", "grün "), ("utf-16", "ice")]
)
def test_another_encoding_is_recognised(tmp_path: Path, encoding: str, text: str) -> None:
    line = json.dumps({"id": "b", "text": text}, ensure_ascii=False) + "\n"
    data = ('{"id": "a", "text": "ice"}\n' + line).encode(encoding)
    message = sentence(JsonLines, jsonl(tmp_path, corpus_jsonl=data))
    assert f"looks like {encoding}" in message
    assert f"line {1 if encoding == 'utf-16' else 2}: UTF-8 is wanted, but byte" in message


def test_the_byte_offset_of_a_wrong_encoding_is_right(tmp_path: Path) -> None:
    data = b'{"id": "a", "text": "\xff"}\n'
    message = sentence(JsonLines, jsonl(tmp_path, corpus_jsonl=data))
    assert f"byte {data.index(0xFF)} " in message


def test_a_file_cut_inside_a_character_is_no_other_encoding(tmp_path: Path) -> None:
    data = ('{"id": "a", "text": "ice"}\n' + '{"id": "b", "text": "물').encode()[:-1]
    message = sentence(JsonLines, jsonl(tmp_path, corpus_jsonl=data))
    assert "corpus.jsonl, line 2: the last line breaks off" in message


@pytest.mark.parametrize("path", ["", " "])
def test_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"dataset\.path is empty"):
        JsonLines(path=path).load()


def test_a_path_that_does_not_exist_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "science_sample").mkdir()
    message = sentence(JsonLines, tmp_path / "science_sampel")
    assert f"the nearest name is {tmp_path / 'science_sample'}." in message
    assert f"{tmp_path} holds science_sample." in sentence(JsonLines, tmp_path / "zzz" / "deeper")


def test_a_file_for_a_folder_and_a_folder_for_a_file(tmp_path: Path) -> None:
    jsonl(tmp_path)
    assert "give its folder" in sentence(JsonLines, tmp_path / "corpus.jsonl")
    (tmp_path / "queries.jsonl").unlink()
    (tmp_path / "queries.jsonl").mkdir()
    assert "queries.jsonl is a folder" in sentence(JsonLines, tmp_path)


def test_a_folder_in_another_layout_names_the_right_one(tmp_path: Path) -> None:
    folder = jsonl(tmp_path)
    assert "use dataset=jsonl." in sentence(ScienceQA, folder)
    assert "use dataset=jsonl." in sentence(Trec, folder)
    (folder / "queries.jsonl").rename(folder / "eval.jsonl")
    assert "use dataset=science_qa." in sentence(Beir, folder)


def test_a_corpus_option_that_is_no_file(tmp_path: Path) -> None:
    write(tmp_path, eval_jsonl='{"eval_id": 1, "msg": [{"role": "user", "content": "cold?"}]}\n')
    assert "documents.jsonl does not exist" in sentence(ScienceQA, tmp_path)
    assert "is a folder" in sentence(ScienceQA, tmp_path, corpus=str(tmp_path))
