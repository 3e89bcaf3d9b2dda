"""Written questions: what one is, and which are thrown away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from experiments.schema import Dataset, Document, Query

COPIED_WORDS = 6
"""As many words in a row, taken from the passage, make a question copied."""

_POINTING = (
    *("this passage", "the passage", "this text", "the text", "the above", "the author"),
    *("이 글", "위 글", "본문", "지문", "이 문단", "다음 글"),
)
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class Written:
    """A question with its gold passage and the answer, "" where it has none.

    frame: the words before it that every question of its kind begins with.
    """

    document: str
    text: str
    answer: str = ""
    frame: str = ""


def fault(question: str, passage: str) -> str:
    """Why a question cannot be used; "" where it can.

    Not answerable by itself: it is too short, or points at a passage that a searcher does not see.
    Copied: six words in a row are the passage's.
    """
    folded = " ".join(question.lower().split())
    if len(folded) < _SHORTEST:
        return "it is too short to search for"
    if any(words in folded for words in _POINTING):
        return "it points at the passage"
    words, source = folded.split(), f" {' '.join(passage.lower().split())} "
    runs = (words[at : at + COPIED_WORDS] for at in range(len(words) - COPIED_WORDS + 1))
    if any(f" {' '.join(run)} " in source for run in runs):
        return "its wording is copied"
    return ""


def kept(
    questions: Iterable[Written], passages: dict[str, str]
) -> tuple[list[Written], Counter[str]]:
    """Those that can be used, a text once, and reason -> how many the others are."""
    good: dict[str, Written] = {}
    reasons: Counter[str] = Counter()
    for one in questions:
        why = fault(one.text, passages[one.document])
        why = why or ("it is asked twice" if one.text in good else "")
        if why:
            reasons[why] += 1
        else:
            good[one.text] = one
    return [*good.values()], reasons


def as_dataset(questions: Sequence[Written], corpus: Sequence[Document], name: str) -> Dataset:
    """The questions as w1, w2, …; every document with the text of the gold passage is gold."""
    copies: dict[str, list[str]] = {}
    for document in corpus:
        copies.setdefault(document.text, []).append(document.id)
    texts = {document.id: document.text for document in corpus}
    numbered = [(f"w{number}", one) for number, one in enumerate(questions, 1)]
    return Dataset(
        name=name,
        corpus=corpus,
        queries=[Query(name, one.text, answer=one.answer or None) for name, one in numbered],
        qrels={name: dict.fromkeys(copies[texts[one.document]], 1) for name, one in numbered},
        fingerprint="",
    )


def sampled(corpus: Sequence[Document], size: int, seed: int) -> list[Document]:
    """Documents drawn at random, by the seed and their ids alone; blank ones are never drawn."""
    import numpy as np

    by_id = {document.id: document for document in corpus if document.text.strip()}
    ids = sorted(by_id)
    order = np.random.default_rng(seed).permutation(len(ids))
    return [by_id[ids[place]] for place in order[:size]]
