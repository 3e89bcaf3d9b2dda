"""A broken line of documents, queries, topics or spans: one sentence names file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.datasets.jsonl import JsonLines
from experiments.datasets.span_jsonl import SpanJsonLines
from experiments.datasets.trec import Trec
from tests.experiments.datasets.layout_files import CORPUS, jsonl, sentence, write


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
    message = sentence(JsonLines, jsonl(tmp_path, queries_jsonl=content))
    assert f"queries.jsonl, line {line}: " in message
    assert says in message


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
