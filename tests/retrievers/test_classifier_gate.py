"""A gate learned from labelled messages, and what it makes of files and odd messages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from retrievers.bm25 import BM25Retriever
from retrievers.classifier_gate import ClassifierGate, from_file, read_messages
from retrievers.gate import GateDecision
from retrievers.ranking import EVERY_PART, QueryPlan

CHATS = [
    "hello there",
    "thanks a lot",
    "how are you today",
    "안녕 반가워",
    "고마워 친구야",
    "오늘 기분 어때",
]
QUESTIONS = [
    "what is the boiling point of water",
    "why does iron rust",
    "explain how plants make sugar",
    "물은 왜 100도에서 끓나요",
    "광합성이 무엇인지 설명해 줘",
    "철이 녹스는 이유를 알려줘",
]
MESSAGES = [(text, True) for text in CHATS] + [(text, False) for text in QUESTIONS]


def decide(gate: ClassifierGate, *messages: str) -> GateDecision:
    retriever = BM25Retriever()
    retriever.build([TextNode(text="water", id_="0")])
    plans = [QueryPlan(str(row), {EVERY_PART: (text,)}) for row, text in enumerate(messages)]
    return gate.decide(plans, retriever.retrieve_many(plans, 1), retriever)


def test_messages_like_labelled_chat_are_blocked_with_a_reason() -> None:
    found = decide(
        ClassifierGate(MESSAGES),
        "hello, how are you",
        "안녕, 고마워",
        "why does water boil",
        "철은 왜 녹스나요",
    )
    assert found.blocked.tolist() == [True, True, False, False]
    assert [bool(reason) for reason in found.reasons] == found.blocked.tolist()
    assert ((found.statistics >= 0.5) == found.blocked).all()


@pytest.mark.parametrize("message", ["", "!!!", "ﷺ", "\ud800", "12345"])
def test_a_message_without_a_known_feature_passes(message: str) -> None:
    found = decide(ClassifierGate(MESSAGES[:3] + MESSAGES[6:9], threshold=0.01), message)
    assert not found.blocked[0]
    assert np.isnan(found.statistics[0])


def test_a_higher_threshold_never_blocks_more() -> None:
    counts = [
        int(decide(ClassifierGate(MESSAGES, threshold=t), *CHATS, *QUESTIONS).blocked.sum())
        for t in (0.05, 0.5, 0.95)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]
    assert decide(ClassifierGate(MESSAGES)).blocked.shape == (0,)


def test_both_kinds_of_file_are_read(tmp_path: Path) -> None:
    table, lines = tmp_path / "m.tsv", tmp_path / "m.jsonl"
    table.write_text(
        "text\tlabel\nhi\tchat\r\n\nwhy?\tsearch\n물?\t검색\n안녕\t잡담\n", encoding="utf-8"
    )
    rows = [("hi", "Chat"), ("why?", 0), ("물?", "x"), ("안녕", 1)]
    lines.write_text(
        "\n".join(json.dumps({"text": t, "label": label}) for t, label in rows), encoding="utf-8"
    )
    wanted = [("hi", True), ("why?", False), ("물?", False), ("안녕", True)]
    assert read_messages(table) == read_messages(lines) == wanted
    assert from_file(table, threshold=0.7).threshold == 0.7


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.tsv", "hi\tchat\nno label\n", "line 2 has no text, tab and label"),
        ("a.jsonl", '{"text": "hi"}', "line 1 has no text and label"),
        ("a.jsonl", "[1]", "line 1 has no text and label"),
        ("a.tsv", "hi\tchat\n", "1 messages of one kind"),
        ("a.tsv", "", "0 messages of one kind"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path, name, content, sentence) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        from_file(tmp_path / name)


def test_no_file_and_no_probability_are_mistakes(tmp_path) -> None:
    with pytest.raises(ValueError, match="is no file"):
        from_file(tmp_path / "none.tsv")
    with pytest.raises(ValueError, match="between 0 and 1"):
        ClassifierGate(MESSAGES, threshold=1.0)
