"""The same questions with one, two or three passages of evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.identity import fingerprint
from experiments.position_lab.tasks import Task, TaskSet

if TYPE_CHECKING:
    from experiments.schema import Dataset


@dataclass(frozen=True, slots=True)
class Questions:
    """What a lab asks.

    by_evidence: number of passages that are needed -> the tasks, the same ids in the same order.
    Others as in `TaskSet`.
    """

    name: str
    by_evidence: Mapping[int, tuple[Task, ...]]
    seed: int
    notes: tuple[str, ...]
    dataset: Dataset | None
    fingerprint: str

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The questions, with as much evidence as the first of the sets has."""
        return next(iter(self.by_evidence.values()))

    @classmethod
    def of(cls, found: Mapping[int, TaskSet]) -> Questions:
        """The questions that every one of the sets has, so that all conditions ask the same.

        found: number of passages -> what a source gives for it.
        """
        first = next(iter(found.values()))
        everywhere = set.intersection(*({task.id for task in one.tasks} for one in found.values()))
        return cls(
            first.name,
            {
                count: tuple(task for task in one.tasks if task.id in everywhere)
                for count, one in found.items()
            },
            first.seed,
            tuple(dict.fromkeys(note for one in found.values() for note in one.notes)),
            first.dataset,
            fingerprint([[count, one.fingerprint] for count, one in found.items()]),
        )
