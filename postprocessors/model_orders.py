"""The order a model gives to the passages of each query, and what had to be repaired in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from llama_index.core.llms import LLM

from generation.numbered_choices import Order, read_order
from generation.structured import parse
from postprocessors.prompts import LISTWISE, POINTWISE, VERSION, numbered
from retrievers.asking import ask

STAGE = "llm_rerank"
_NUMBER = re.compile(r"\D*?(\d+(?:\.\d+)?)(?:\s*(?:/|점 만점에|out of)\s*10)?\D*", re.ASCII)
_HIGHEST = 10.0


class Question(NamedTuple):
    """A query and the passages to order, best first as they came in."""

    query: str
    passages: Sequence[str]


class Orders(NamedTuple):
    """For each question a permutation of its passages, best first, and what is to be said of it."""

    positions: list[Sequence[int]]
    note: str


def listwise(llm: LLM, questions: Sequence[Question], wanted: int) -> Orders:
    """The model sees all passages of a query at once and names the best `wanted` of them.

    Sun et al., "Is ChatGPT Good at Search?", EMNLP 2023. An answer that names none, or no answer,
    keeps the incoming order.
    """
    prompts = [
        LISTWISE.fill(q.query, query=q.query, count=wanted, passages=numbered(q.passages))
        for q in questions
    ]
    texts, missing = ask(llm, prompts, stage=STAGE, version=VERSION)
    orders = [read_order(text, len(q.passages)) for text, q in zip(texts, questions, strict=True)]
    failed = sum(missing.values())
    note = _repairs(orders, [min(wanted, len(q.passages)) for q in questions], failed)
    return Orders([order.positions for order in orders], note)


def pointwise(llm: LLM, questions: Sequence[Question]) -> Orders:
    """The model marks each passage alone, from 0 to 10; equal marks keep the incoming order.

    Liang et al., "Holistic Evaluation of Language Models", TMLR 2023. A passage without a mark
    keeps its place among the others.
    """
    prompts = [
        POINTWISE.fill(q.query, query=q.query, passage=passage)
        for q in questions
        for passage in q.passages
    ]
    texts, missing = ask(llm, prompts, stage=STAGE, version=VERSION)
    marks = [None if text is None else read_mark(text) for text in texts]
    positions, start = [], 0
    for question in questions:
        end = start + len(question.passages)
        positions.append(_by_mark(marks[start:end]))
        start = end
    failed = sum(missing.values())
    note = (
        f"llm_rerank marked {len(marks)} passages of {len(questions)} queries; "
        f"{marks.count(None)} got no mark and keep their place ({failed} calls failed, "
        f"{marks.count(None) - failed} answers unreadable)."
    )
    return Orders(positions, note)


def read_mark(text: str) -> float | None:
    """The mark in an answer, 0 to 10; None where it has none or several numbers."""
    fields = parse(text, {"score": float})
    alone = _NUMBER.fullmatch(text)
    mark = fields["score"] if fields else float(alone[1]) if alone else None
    return mark if mark is not None and 0 <= mark <= _HIGHEST else None


def _by_mark(marks: Sequence[float | None]) -> Sequence[int]:
    """The places with a mark sorted among themselves; the others stay where they are."""
    marked = [place for place, mark in enumerate(marks) if mark is not None]
    order = [*range(len(marks))]
    best = sorted(marked, key=lambda place: -(marks[place] or 0.0))
    for place, chosen in zip(marked, best, strict=True):
        order[place] = chosen
    return order


def _repairs(orders: Sequence[Order], wanted: Sequence[int], failed: int) -> str:
    unreadable = sum(order.unreadable for order in orders) - failed
    filled = sum(
        not order.unreadable and order.chosen < most
        for order, most in zip(orders, wanted, strict=True)
    )
    return (
        f"llm_rerank asked for {len(orders)} orders; {failed + unreadable} keep the incoming one "
        f"({failed} calls failed, {unreadable} answers unreadable), {filled} named too few and "
        f"were filled up from it; {sum(order.unknown for order in orders)} unknown and "
        f"{sum(order.repeated for order in orders)} repeated numbers were left out."
    )
