"""Multi-document question answering in the line format of "Lost in the Middle"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.datasets.paths import existing_file
from experiments.datasets.records import Record, read_records
from experiments.position_lab.tasks import Passage, Task, TaskSet, check_count, filled

if TYPE_CHECKING:
    from experiments.setting import Setting


@dataclass(frozen=True, kw_only=True)
class PaperTasks:
    """Liu et al. (TACL 2024), section 2: one passage answers, the others are near misses.

    path: a file of lines with "question", "answers" and "ctxs" (title, text, isgold); "tags" of
        the question (an object) are optional.
    count: how many tasks at most, from the first.  seed: of the order of the distractors.
    """

    path: str | Path | None
    count: int = 100
    seed: int = 0

    def load(self, setting: Setting, *, documents: int, evidence: int) -> TaskSet:
        """One task a line with enough gold passages; too few distractors are filled up.

        Raises ValueError for a file that is none or that has no such line.
        """
        check_count(self.count)
        if self.path is None:
            raise ValueError(
                'lab_task=paper needs a file of lines with "question", "answers" and "ctxs": add '
                "lab_task.path=FILE.jsonl."
            )
        notes: list[str] = []
        records = read_records(existing_file(Path(self.path)), notes)[: self.count]
        tasks = [_task(record, number) for number, record in enumerate(records)]
        fitting = with_evidence(tasks, evidence, str(self.path))
        done, short = filled(fitting, documents)
        if lost := len(tasks) - len(fitting):
            notes.append(f"{lost} of {len(tasks)} lines have too few gold passages.")
        if short:
            notes.append(
                f"{short} of {len(done)} questions have too few distractors of their own: passages "
                "of other questions, which are easier to tell apart, fill them up."
            )
        return TaskSet(Path(self.path).stem, tuple(done), self.seed, tuple(notes))


def with_evidence(tasks: list[Task], evidence: int, source: str) -> list[Task]:
    """The tasks that have so much evidence, cut to it. Raises ValueError where none has."""
    found = [
        replace(task, evidence=task.evidence[:evidence])
        for task in tasks
        if len(task.evidence) >= evidence
    ]
    if not found:
        raise ValueError(
            f"{source} has no question with {evidence} passages of evidence and an answer: ask for "
            "less with lab.evidence, or give another source."
        )
    return found


def _task(record: Record, number: int) -> Task:
    answers = record.fields[record.first("answers")]
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        raise record.wrong_type("answers", "a list of texts")
    name = f"q{number}"
    gold: list[Passage] = []
    others: list[Passage] = []
    for place, one in enumerate(record.objects("ctxs")):
        title, text = one.optional_text("title") or "", one.text("text")
        passage = Passage(f"{name}/{place}", title, f"{title}\n{text}" if title else text)
        (gold if one.fields.get("isgold") else others).append(passage)
    return Task(
        name,
        record.text("question"),
        (tuple(answers),),
        tuple(gold),
        tuple(others),
        tags={str(key): str(value) for key, value in record.mapping("tags").items()},
    )
