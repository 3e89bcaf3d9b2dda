"""Is there anything here to find? Learned from messages that someone has labelled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrievers.analyzers import analyzer
from retrievers.base import BatchRetriever
from retrievers.gate import GateDecision
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking, Scores

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

CHAT = frozenset({"chat", "chit-chat", "chitchat", "small_talk", "smalltalk", "잡담", "1", "true"})
"""Labels, in small letters, of messages with nothing to look up; every other label is a search."""


class ClassifierGate:
    """Blocks what a classifier takes for chat: logistic regression over words and letters.

    TF-IDF of the terms of the analyzers "auto" and "char_ngram"; both labels weigh alike, however
    many messages each has.
    messages: (text, whether it is chat), of both kinds; `from_file` reads them.
    threshold: the least probability of chat that is blocked, between 0 and 1.
    seed: of the regression.
    It reads the first text of a plan; a message without a known word or letter group passes.
    """

    measure = None
    """It asks nothing of the indexes."""

    def __init__(
        self, messages: Sequence[tuple[str, bool]], *, threshold: float = 0.5, seed: int = 0
    ) -> None:
        if not 0 < threshold < 1:
            raise ValueError(f"gate=classifier got threshold={threshold}: it lies between 0 and 1.")
        self.messages, self.threshold, self.seed = messages, threshold, seed

    def decide(
        self,
        plans: Sequence[QueryPlan],
        ranking: Ranking,
        retriever: BatchRetriever,
        measured: Scores | None = None,
    ) -> GateDecision:
        """The verdict on each plan; `ranking` and `retriever` are not looked at."""
        texts = [plan.texts[EVERY_PART][0] for plan in plans]
        chances = _chances(_fitted(tuple(self.messages), self.seed), texts)
        blocked = np.nan_to_num(chances, nan=0.0) >= self.threshold
        reasons = tuple(
            f"it reads like chat (p = {p:.2f}, limit {self.threshold:g})" if stop else ""
            for stop, p in zip(blocked, chances, strict=True)
        )
        return GateDecision(blocked, reasons, chances)


def from_file(path: str | Path, *, threshold: float = 0.5, seed: int = 0) -> ClassifierGate:
    """A gate that learns from a labelled file, see `read_messages`."""
    return ClassifierGate(read_messages(path), threshold=threshold, seed=seed)


def read_messages(path: str | Path) -> list[tuple[str, bool]]:
    """(message, whether it is chat) of a labelled file.

    JSON Lines with `text` and `label`, or a TSV of text and label, where a first row of these two
    words is a header. `CHAT` lists the labels of chat.
    Raises ValueError for a file that is not there, a row that is no message with a label, and a
    file in which one of both kinds is missing.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"gate.path={path} is no file: give a TSV or JSONL of text and label.")
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    rows = [(number, line.rstrip("\r")) for number, line in enumerate(lines, 1) if line.strip()]
    read = _json_row if path.suffix in (".jsonl", ".json") else _tab_row
    pairs = [read(line, f"{path}, line {number}") for number, line in rows]
    if pairs and [word.strip().casefold() for word in pairs[0]] == ["text", "label"]:
        pairs = pairs[1:]
    found = [(text, label.strip().casefold() in CHAT) for text, label in pairs]
    if len({is_chat for _, is_chat in found}) < 2:
        raise ValueError(
            f"{path} has {len(found)} messages of one kind: give messages of both, with labels "
            "such as chat and search."
        )
    return found


def _json_row(line: str, place: str) -> tuple[str, str]:
    try:
        row = json.loads(line)
        text, label = row["text"], row["label"]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{place} has no text and label: {line[:60]!r}.") from error
    if not isinstance(text, str) or isinstance(label, dict | list | None):
        raise ValueError(f"{place} has no text and label: {line[:60]!r}.")
    return text, str(label)


def _tab_row(line: str, place: str) -> tuple[str, str]:
    text, tab, label = line.rpartition("\t")
    if not tab or not label.strip():
        raise ValueError(f"{place} has no text, tab and label: {line[:60]!r}.")
    return text, label


@cache
def _fitted(messages: tuple[tuple[str, bool], ...], seed: int) -> Pipeline:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline, make_union

    words, letters = (
        TfidfVectorizer(analyzer=partial(_terms, name), sublinear_tf=True)
        for name in ("auto", "char_ngram")
    )
    regression = LogisticRegression(class_weight="balanced", max_iter=1000, random_state=seed)
    model = make_pipeline(make_union(words, letters), regression)
    texts, labels = zip(*messages, strict=True)
    return model.fit(texts, labels)


def _terms(name: str, text: str) -> list[str]:
    return analyzer(name).analyze_many([text])[0]


def _chances(model: Pipeline, texts: Sequence[str]) -> Scores:
    """The probability of chat, [n]; NaN for a text without a known feature."""
    if not texts:
        return np.zeros(0)
    features = model[:-1].transform(texts)
    chances = np.asarray(model[-1].predict_proba(features)[:, 1], dtype=np.float64)
    known = np.diff(features.tocsr().indptr) > 0
    return np.where(known, chances, np.nan)
