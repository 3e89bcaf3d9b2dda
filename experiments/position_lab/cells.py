"""The conditions of the lab, and where each of them puts the evidence."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from experiments.position_lab.tasks import Passage, Task
from postprocessors.long_context_reorder import Order

SPREADS = ("adjacent", "half", "ends")
OWN = "own"
FIXED = ("ends", OWN)
"""Where the evidence has one position."""

QUESTIONS = ("after", "before", "both")


class Condition(NamedTuple):
    """All that a cell has but its position and its repeat.

    documents: passages in the prompt.  evidence: how many of them are needed.
    spread: how those lie (see `places`).  question: its side of the passages.
    order: the mode of LongContextReorder; the position is then the evidence's rank, not its place.
    """

    documents: int
    evidence: int
    spread: str
    question: str
    order: str

    @property
    def label(self) -> str:
        """For tables and figures; what is as usual is left out."""
        several = f", {self.evidence} passages {self.spread}" if self.evidence > 1 else ""
        several += ", as ranked" if self.spread == OWN else ""
        question = f", question {self.question}" if self.question != "after" else ""
        order = f", order {self.order}" if self.order != "none" else ""
        return f"{self.documents} documents{several}{question}{order}"

    @property
    def key(self) -> str:
        """For a tracker."""
        return f"d{self.documents}_e{self.evidence}_{self.spread}_{self.question}_{self.order}"


class Cell(NamedTuple):
    """One prompt of each task.

    position: percent of the way, None where the condition alone says where the evidence lies.
    repeat: from 0.
    """

    condition: Condition
    position: int | None
    repeat: int


@dataclass(frozen=True, kw_only=True)
class Axes:
    """What is varied.

    documents: passages in a prompt.  positions: where the evidence begins, 0 to 100 percent.
    evidence: `1`, or a number and how they lie: `2 adjacent`, `3 half`, `2 ends`; `own` leaves the
        passages as the pipeline ranks them, evidence that it ranks too low left out.
    question: before, after, or on both sides of the passages.
    order: modes of LongContextReorder.  repeats: orders of the distractors for each task.
    """

    documents: Sequence[int] = (5, 10, 20, 40)
    positions: Sequence[int] = (0, 25, 50, 75, 100)
    evidence: Sequence[int | str] = (1,)
    question: Sequence[str] = ("after",)
    order: Sequence[str] = ("none",)
    repeats: int = 1

    def __post_init__(self) -> None:
        _check("documents", self.documents, lambda value: value >= 2, "numbers from 2")
        _check("positions", self.positions, lambda value: 0 <= value <= 100, "percents, 0 to 100")
        _check("question", self.question, QUESTIONS.__contains__, ", ".join(QUESTIONS))
        orders = get_args(Order)
        _check("order", self.order, orders.__contains__, ", ".join(orders))
        if self.repeats < 1:
            raise ValueError(f"lab.repeats is {self.repeats}: give 1 or more.")
        most = max(count for count, _ in self.layouts())
        if most > min(self.documents):
            raise ValueError(
                f"lab.evidence asks for {most} passages and lab.documents for prompts of "
                f"{min(self.documents)}: give prompts of more."
            )

    def layouts(self) -> list[tuple[int, str]]:
        """How many passages are needed, and how they lie.

        Raises ValueError for one that cannot be read.
        """
        return [_layout(one) for one in self.evidence]

    def conditions(self) -> list[Condition]:
        """All of them, those that belong together side by side."""
        return [
            Condition(documents, count, spread, question, order)
            for count, spread in self.layouts()
            for question in self.question
            for order in self.order
            for documents in self.documents
        ]

    def cells(self) -> Iterator[Cell]:
        """Every cell; the passages as ranked have one repeat."""
        for condition in self.conditions():
            for position in self.spots(condition):
                for repeat in range(1 if condition.spread == OWN else self.repeats):
                    yield Cell(condition, position, repeat)

    def spots(self, condition: Condition) -> list[int | None]:
        """The positions of a condition; None alone for evidence at both ends, or as ranked.

        Positions that are one place in a short prompt are one position, the one that is nearest to
        that place: equal prompts under several names would be no evidence of anything.
        """
        documents, evidence, spread, *_ = condition
        if spread in FIXED:
            return [None]
        way = places(documents, evidence, spread, 100)[0]
        nearest: dict[int, int] = {}
        for position in self.positions:
            (place, *_) = places(documents, evidence, spread, position)
            exact = 100 * place / max(way, 1)
            before = nearest.get(place)
            if before is None or abs(position - exact) < abs(before - exact):
                nearest[place] = position
        return [position for position in self.positions if position in nearest.values()]


def places(documents: int, evidence: int, spread: str, position: float) -> list[int]:
    """Where the evidence stands among the passages, counted from 0.

    position: percent of the way that the first of them moves, from the front until the last of
    them is at the end.  `adjacent`: side by side.  `half`: from first to last half the prompt.
    `ends`: by turns from the front and from the back, whatever the position.
    """
    if spread == "ends":
        return sorted(n // 2 if n % 2 == 0 else documents - 1 - n // 2 for n in range(evidence))
    span = max(documents // 2, evidence - 1) if spread == "half" else evidence - 1
    steps = [round(n * span / max(evidence - 1, 1)) for n in range(evidence)]
    begin = round(position / 100 * (documents - 1 - steps[-1]))
    return [begin + step for step in steps]


def arranged(task: Task, cell: Cell, seed: int) -> list[Passage]:
    """The passages by rank.

    Cells that differ in position have the same ones, and all but the evidence in the same order.
    Raises ValueError for the order of a pipeline where none ranked the passages.
    """
    condition = cell.condition
    if condition.spread == OWN:
        return _as_ranked(task, condition.documents)
    others = list(task.distractors[: condition.documents - condition.evidence])
    random.Random(f"{seed}/{task.id}/{cell.repeat}").shuffle(others)
    rest = iter(others)
    at = places(condition.documents, condition.evidence, condition.spread, cell.position or 0)
    evidence = dict(zip(at, task.evidence, strict=False))
    return [
        evidence[place] if place in evidence else next(rest)
        for place in range(condition.evidence + len(others))
    ]


def _as_ranked(task: Task, documents: int) -> list[Passage]:
    if task.above is None:
        raise ValueError(
            "lab.evidence=[own] shows passages as a pipeline ranks them: add lab_task=dataset."
        )
    above, below = task.distractors[: task.above], task.distractors[task.above :]
    return [*above, *task.evidence[:1], *below][:documents]


def _layout(value: int | str) -> tuple[int, str]:
    if value == OWN:
        return 1, OWN
    count, _, spread = str(value).partition(" ")
    spread = spread.strip() or "adjacent"
    if not count.isdecimal() or not 1 <= int(count) <= 3 or spread not in SPREADS:
        raise ValueError(
            f"lab.evidence has {value!r}: write 1, 2 or 3, and after 2 and 3 how they lie, "
            f"{', '.join(SPREADS)}, such as '2 half'; or own."
        )
    return int(count), spread if int(count) > 1 else "adjacent"


def _check(name: str, values: Sequence[Any], fits: Callable[[Any], bool], wanted: str) -> None:
    wrong = [value for value in values if not fits(value)]
    if wrong or not values or len({*values}) < len(values):
        fault = repr(wrong[0]) if wrong else "nothing or one value twice"
        raise ValueError(f"lab.{name} has {fault}: give {wanted}, each once.")
