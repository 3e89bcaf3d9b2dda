"""Each mistake a user can make in a dataset gets one sentence that names file and line."""

import json
from pathlib import Path

import pytest

from experiments.datasets.beir import Beir
from experiments.datasets.jsonl import JsonLines
from experiments.datasets.science_qa import ScienceQA
from experiments.datasets.span_jsonl import SpanJsonLines
from experiments.datasets.trec import Trec

CORPUS = '{"id": "a", "text": "ice"}\n{"id": "b", "text": "물은 언다"}\n'
QUERIES = '{"id": "1", "text": "cold?"}\n{"id": "2", "text": "hot?"}\n'
QRELS = "1\ta\t1\n"


def write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
    return folder


def jsonl(folder: Path, **files: str | bytes) -> Path:
    return write(
        folder,
        **{"corpus_jsonl": CORPUS, "queries_jsonl": QUERIES, "qrels_tsv": QRELS, **files},
    )


def sentence(layout, folder: Path, **options: object) -> str:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        layout(path=str(folder), **options).load()
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ('{"id": "a", "text": "ice"}\n{"id" "b"}\n', 2, "not valid JSON"),
        ('{"id": "a", "text": "ice"}\n{"id": "b", "te', 2, "breaks off"),
        ('[{"id": "a", "text": "ice"}]', 1, "JSON array"),
        ('[\n{"id": "a", "text": "ice"}\n]\n', 1, "JSON array"),
        ('{\n"id": "a", "text": "ice"\n}\n', 1, "spread over several lines"),
        ("id,text\na,ice\n", 1, "looks like CSV"),
        ('"ice"\n', 1, "a JSON object is wanted, this is text"),
        ("null\n", 1, "this is null"),
        ('{"x": ' + "[" * 100_000 + "\n", 1, "nested too deeply"),
        ('{"id": 1' + "0" * 5000 + ', "text": "ice"}\n', 1, "5001 digits is too long: write it as"),
        ('{"id": "a", "text": "ice", "id": "b"}\n', 1, 'the key "id" stands twice'),
        ('{"id": "a", "text": "ice", "metadata": {"x": 1, "x": 2}}\n', 1, 'the key "x" stands'),
        ('{"id": "a", "text": "ice"}\n{"id" "b"}', 2, "not valid JSON"),
        ('{"id": "a", "text": "ice"}\n{"id": "b", "metadata": {}', 2, "breaks off"),
        ('{"id": "a", "text": "ice"}\r{"id": "b", "text": "fire"}\r', 1, r"ends in \r alone"),
        ('{"id": "a"}\r{"id": "b"}\n{"id": "c", "text": "ice"}\n', 1, r"ends in \r alone"),
        ('{"id": "a"}\n', 1, '"text" is missing; the line has id'),
        ('{"text": "ice"}\n', 1, '"id" or "_id" is missing'),
        ('{"id": "a", "text": 7}\n', 1, '"text" must be text, this is a whole number'),
        ('{"id": "a", "text": null}\n', 1, '"text" must be text, this is null'),
        ('{"id": 1.0, "text": "ice"}\n', 1, '"id" must be text or a whole number'),
        ('{"id": true, "text": "ice"}\n', 1, '"id" must be text or a whole number'),
        ('{"id": " ", "text": "ice"}\n', 1, 'the id "id" is empty'),
        ('{"id": "a", "text": "ice", "title": 3}\n', 1, '"title" must be text'),
        ('{"id": "a", "text": "ice", "metadata": 3}\n', 1, '"metadata" must be an object'),
        ('{"id": 1, "text": "ice"}\n\n{"id": "1", "text": "fire"}\n', 3, "stands on line 1"),
    ],
)
def test_a_broken_corpus_line_is_named(tmp_path: Path, content: str, line: int, says: str) -> None:
    message = sentence(JsonLines, jsonl(tmp_path, corpus_jsonl=content))
    assert f"corpus.jsonl, line {line}: " in message
    assert says in message


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ('{"id": "1", "text": "cold?"}\n{"id": "1", "text": "hot?"}\n', 2, 'query id "1"'),
        ('{"id": "1", "text": "  "}\n', 1, 'the text of query "1" is empty'),
        ('{"id": "1"}\n', 1, '"messages" or "text" is missing'),
        ('{"id": "1", "text": "cold?", "answer": 4}\n', 1, '"answer" must be text'),
        ('{"id": "1", "text": "cold?", "tags": "x"}\n', 1, '"tags" must be an object'),
        ('{"id": "1", "messages": "cold?"}\n', 1, '"messages" must be a list of objects'),
        (
            '{"id": "1", "text": "why?", "history": ["a"]}\n',
            1,
            '"history" must be a list of objects, its item 1 is text',
        ),
        ('{"id": "1", "messages": []}\n', 1, "the last turn must be the user's"),
        (
            '{"id": "1", "messages": [{"role": "assistant", "content": "?"}]}\n',
            1,
            "the last turn must be the user's",
        ),
        ('{"id": "1", "messages": [{"role": "bot", "content": "?"}]}\n', 1, 'role "bot"'),
        ('{"id": "1", "messages": [{"role": "user"}]}\n', 1, '"content" is missing'),
    ],
)
def test_a_broken_query_line_is_named(tmp_path: Path, content: str, line: int, says: str) -> None:
    message = sentence(JsonLines, jsonl(tmp_path, queries_jsonl=content, qrels_tsv=QRELS))
    assert f"queries.jsonl, line {line}: " in message
    assert says in message


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


@pytest.mark.parametrize("name", ["corpus_jsonl", "queries_jsonl", "qrels_tsv"])
@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    message = sentence(JsonLines, jsonl(tmp_path, **{name: content}))
    assert f"{name.replace('_', '.')} is empty" in message


@pytest.mark.parametrize(
    ("encoding", "text"), [("cp949", "물은 언다"), ("cp1252", "gr\xfcn \x80"), ("utf-16", "ice")]
)
def test_another_encoding_is_recognised(tmp_path: Path, encoding: str, text: str) -> None:
    line = json.dumps({"id": "b", "text": text.replace("\x80", "")}, ensure_ascii=False) + "\n"
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


def test_a_corpus_of_empty_documents_is_refused(tmp_path: Path) -> None:
    folder = jsonl(tmp_path, corpus_jsonl='{"id": "a", "text": " "}\n')
    assert "every document is empty" in sentence(JsonLines, folder)


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


def test_a_corpus_option_that_is_no_file(tmp_path: Path) -> None:
    write(tmp_path, eval_jsonl='{"eval_id": 1, "msg": [{"role": "user", "content": "cold?"}]}\n')
    assert "documents.jsonl does not exist" in sentence(ScienceQA, tmp_path)
    assert "is a folder" in sentence(ScienceQA, tmp_path, corpus=str(tmp_path))


@pytest.mark.parametrize(("line", "says"), [("1 cold?\n", "no tab"), ("\tcold?\n", "empty")])
def test_a_broken_topic_is_named(tmp_path: Path, line: str, says: str) -> None:
    write(tmp_path, corpus_jsonl=CORPUS, topics_tsv="0\thot?\n" + line)
    message = sentence(Trec, tmp_path)
    assert "topics.tsv, line 2: " in message
    assert says in message


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"corpus_id": "a"}, '"references" is missing'),
        ({"corpus_id": "z", "references": [{"start_index": 0, "end_index": 1}]}, '"z"'),
        ({"references": [{"start_index": 0, "end_index": 1}]}, '"corpus_id" is missing'),
        ({"corpus_id": "a", "references": [{"start_index": 0}]}, '"end_index" is missing'),
        ({"corpus_id": "a", "references": [{"start_index": 0, "end_index": 4}]}, "[0, 4)"),
        ({"corpus_id": "a", "references": [{"start_index": 2, "end_index": 2}]}, "[2, 2)"),
        ({"corpus_id": "a", "references": [{"start_index": -1, "end_index": 2}]}, "[-1, 2)"),
        ({"corpus_id": "a", "references": [{"start_index": "0", "end_index": 2}]}, "whole number"),
    ],
)
def test_a_broken_span_is_named(tmp_path: Path, fields: dict[str, object], says: str) -> None:
    query = json.dumps({"id": "1", "text": "cold?", **fields}) + "\n"
    message = sentence(SpanJsonLines, write(tmp_path, corpus_jsonl=CORPUS, queries_jsonl=query))
    assert "queries.jsonl, line 1: " in message
    assert says in message
