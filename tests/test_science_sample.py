"""The bundled sample keeps the shape and the traits that its README states."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import instantiate

from experiments.evaluation import Evaluator
from experiments.store import NoStore
from tests.test_config import composed

FOLDER = Path(__file__).parents[1] / "data" / "science_sample"
LONG_PASSAGE = "01fb51fa-8805-0231-6154-be70a21bea10"


def read_json_lines(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / name).read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return [json.loads(line) for line in text[:-1].split("\n")]


@pytest.fixture(scope="module")
def passages() -> list[dict[str, Any]]:
    return read_json_lines("documents.jsonl")


@pytest.fixture(scope="module")
def messages() -> list[dict[str, Any]]:
    return read_json_lines("eval.jsonl")


@pytest.fixture(scope="module")
def labels() -> list[tuple[str, str, str]]:
    header, *rows = (FOLDER / "qrels.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")
    assert header == "query-id\tcorpus-id\tscore"
    return [(query, document, grade) for query, document, grade in (r.split("\t") for r in rows)]


def has_hangul(text: str) -> bool:
    return re.search("[가-힣]", text) is not None


def count_sentences(text: str) -> int:
    return len(re.split(r"(?<=[.?!])\s+", text))


def test_passages_have_the_competition_fields_and_unique_ids(
    passages: list[dict[str, Any]],
) -> None:
    assert 200 <= len(passages) <= 220
    assert all(list(p) == ["docid", "src", "content"] for p in passages)
    assert len({p["docid"] for p in passages}) == len(passages)


def test_about_two_thirds_of_the_passages_are_korean(passages: list[dict[str, Any]]) -> None:
    korean = [has_hangul(p["content"]) for p in passages]
    assert 0.6 <= sum(korean) / len(korean) <= 0.75
    assert korean == [p["src"].startswith("ko_") for p in passages]


def test_passages_are_short_enough_for_a_laptop(passages: list[dict[str, Any]]) -> None:
    assert sum(len(p["content"]) for p in passages) <= 48_000
    sentences = {p["docid"]: count_sentences(p["content"]) for p in passages}
    assert all(2 <= count <= 8 for count in sentences.values())
    assert [docid for docid, count in sentences.items() if count == 8] == [LONG_PASSAGE]
    longest = max(passages, key=lambda p: len(p["content"]))
    assert longest["docid"] == LONG_PASSAGE


def test_exactly_one_passage_stands_twice(passages: list[dict[str, Any]]) -> None:
    copies = Counter(p["content"] for p in passages)
    assert sorted(copies.values())[-2:] == [1, 2]


def test_both_copies_of_the_repeated_passage_carry_the_same_labels(
    passages: list[dict[str, Any]], labels: list[tuple[str, str, str]]
) -> None:
    copies = Counter(p["content"] for p in passages)
    first, second = (p["docid"] for p in passages if copies[p["content"]] == 2)
    of = {d: {(q, g) for q, document, g in labels if document == d} for d in (first, second)}
    assert of[first] == of[second] != set()


def test_messages_are_turns_that_start_and_end_with_the_user(
    messages: list[dict[str, Any]],
) -> None:
    assert len(messages) >= 90
    roles = Counter(tuple(turn["role"] for turn in m["msg"]) for m in messages)
    assert set(roles) == {("user",), ("user", "assistant", "user")}
    assert all(turn["content"].strip() for m in messages for turn in m["msg"])


def test_eval_ids_are_unique_sparse_and_out_of_order(messages: list[dict[str, Any]]) -> None:
    ids = [m["eval_id"] for m in messages]
    assert all(type(i) is int for i in ids)
    assert len(set(ids)) == len(ids)
    assert ids != sorted(ids)
    assert max(ids) - min(ids) >= len(ids)


def test_enough_messages_are_chit_chat_or_conversations(
    messages: list[dict[str, Any]], labels: list[tuple[str, str, str]]
) -> None:
    labelled = {query for query, _, _ in labels}
    chit_chat = [m for m in messages if str(m["eval_id"]) not in labelled]
    assert len(chit_chat) >= 10
    conversations = [m for m in messages if len(m["msg"]) == 3 and m not in chit_chat]
    assert len(conversations) >= 12


def test_labels_name_known_ids_once_with_grades_one_and_two(
    passages: list[dict[str, Any]],
    messages: list[dict[str, Any]],
    labels: list[tuple[str, str, str]],
) -> None:
    assert {document for _, document, _ in labels} <= {p["docid"] for p in passages}
    assert {query for query, _, _ in labels} <= {str(m["eval_id"]) for m in messages}
    assert {grade for _, _, grade in labels} == {"1", "2"}
    assert len({(query, document) for query, document, _ in labels}) == len(labels)


def test_every_labelled_message_has_a_passage_that_answers_it(
    labels: list[tuple[str, str, str]],
) -> None:
    answered = {query for query, _, grade in labels if grade == "2"}
    assert answered == {query for query, _, _ in labels}


def test_plain_bm25_leaves_room_above_and_below_and_is_what_the_readme_says() -> None:
    config = composed(
        "+experiment=retrieval", "retriever=bm25", "gate=none", f"dataset.path={FOLDER.resolve()}"
    )
    pipeline = instantiate(config.pipeline, _convert_="all")
    dataset = instantiate(config.dataset, _convert_="all").load()
    ranking = pipeline.run(dataset, NoStore()).ranking
    queries = [query.id for query in dataset.queries]
    mean = Evaluator("map@3").evaluate(ranking, dataset.qrels, queries).mean()["map@3"].mean
    assert mean is not None
    assert 0.45 <= mean <= 0.85
    assert f"**{mean:.3f}**" in (FOLDER / "README.md").read_text(encoding="utf-8")
