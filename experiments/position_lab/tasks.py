"""A question with the passages that answer it and those that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from experiments.identity import fingerprint
from experiments.metrics.answers import best_subspan, read_words, without_citations
from retrievers.analyzers import clean

if TYPE_CHECKING:
    from experiments.schema import Dataset
    from experiments.setting import Setting

NOT_FOUND = 1 << 30


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage: its id, its document, its text."""

    id: str
    document: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """One question.

    answers: groups of spellings; an answer is right that has one spelling of every group.
    evidence: the passages that are needed.  distractors: others, the most misleading first.
    literal: a spelling must stand letter for letter (key-value), else as `best_subspan` finds it.
    above: how many distractors the pipeline ranks above the first evidence, `NOT_FOUND` where it
        did not find it; None where no pipeline ranked anything.
    tags: of the question, such as its wording; they change no prompt.
    """

    id: str
    question: str
    answers: tuple[tuple[str, ...], ...]
    evidence: tuple[Passage, ...]
    distractors: tuple[Passage, ...]
    literal: bool = False
    above: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskSet:
    """Tasks of one source.

    name: of the source.  seed: of the order of the distractors.
    notes: one sentence for each thing that was left out or filled up.
    dataset: what the tasks were made of, where that is a dataset.
    """

    name: str
    tasks: tuple[Task, ...]
    seed: int = 0
    notes: tuple[str, ...] = ()
    dataset: Dataset | None = field(default=None, compare=False)

    @property
    def fingerprint(self) -> str:
        """sha256 (hex) over all tasks."""
        return fingerprint(
            [
                self.seed,
                [
                    [
                        task.id,
                        task.question,
                        task.answers,
                        task.above,
                        [[one.id, one.text] for one in (*task.evidence, *task.distractors)],
                    ]
                    for task in self.tasks
                ],
            ]
        )


class TaskSource(Protocol):
    """Where tasks come from."""

    def load(self, setting: Setting, *, documents: int, evidence: int) -> TaskSet:
        """Tasks for prompts of up to so many passages, of which so many are needed.

        Raises ValueError where there is no such task.
        """
        ...


def check_count(count: int) -> None:
    """Raises ValueError for a number of tasks below 1."""
    if count < 1:
        raise ValueError(f"lab_task.count is {count}: give 1 or more.")


def score(tasks: Sequence[Task], answers: Sequence[str | None]) -> np.ndarray:
    """1 = right, 0 = wrong, NaN = the call failed, [n]; one task an answer.

    All spellings are taken as `best_subspan` takes them (Liu et al., TACL 2024), except in literal
    tasks, where a value is found letter for letter, case aside. Citations are taken out first.
    """
    bare = [without_citations(answer or "") for answer in answers]
    said = read_words(bare)
    wanted = list(dict.fromkeys(s for task in tasks for group in task.answers for s in group))
    known = dict(zip(wanted, read_words(wanted), strict=True))
    values = np.full(len(answers), np.nan)
    for row, (task, answer) in enumerate(zip(tasks, answers, strict=True)):
        if answer is not None:
            found = {
                spelling: clean(spelling) in clean(bare[row])
                if task.literal
                else best_subspan(said[row], known[spelling]) > 0
                for group in task.answers
                for spelling in group
            }
            values[row] = all(any(found[one] for one in group) for group in task.answers)
    return values


def filled(tasks: Sequence[Task], documents: int) -> tuple[list[Task], int]:
    """Tasks with enough distractors, short ones filled up with passages of other tasks.

    A passage that holds an answer of the task is not taken. Second: how many were filled up.
    """
    done, count = [], 0
    for row, task in enumerate(tasks):
        lacking = documents - len(task.evidence) - len(task.distractors)
        if lacking <= 0:
            done.append(task)
            continue
        count += 1
        others = [*tasks[row + 1 :], *tasks[:row]]
        strange = _strangers(task, others, lacking)
        done.append(replace(task, distractors=(*task.distractors, *strange)))
    return done, count


def _strangers(task: Task, others: Sequence[Task], count: int) -> list[Passage]:
    spellings = [clean(one) for group in task.answers for one in group]
    seen = {one.text for one in (*task.evidence, *task.distractors)}
    found: list[Passage] = []
    for passage in (one for other in others for one in (*other.evidence, *other.distractors)):
        if len(found) == count:
            break
        text = clean(passage.text)
        if passage.text not in seen and not any(spelling in text for spelling in spellings):
            seen.add(passage.text)
            found.append(passage)
    return found
