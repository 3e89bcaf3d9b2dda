"""Every answer of a lab in one table, and the table as a reader of one condition wants it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.refusals import refuses
from experiments.position_lab.cells import Cell, Condition, arranged
from experiments.position_lab.tasks import Task, score
from experiments.storable_text import storable_text
from generation.evidence import Evidence, assembly_recall
from postprocessors.long_context_reorder import prompt_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from generation.answers import Answer
    from generation.context import Assembled, ContextAssembler

Values = NDArray[np.float64]
_NUMBERS = ("correct", "refused", "length", "recall", "fill")


def prompt_of(task: Task, cell: Cell, context: ContextAssembler, seed: int) -> Assembled:
    """What a model reads in one cell: chosen by rank, then in the order of the condition."""
    condition = cell.condition
    ranked = [
        Evidence(one.id, one.document, one.text, rank)
        for rank, one in enumerate(arranged(task, cell, seed))
    ]
    selection = context.choose(ranked)
    order = prompt_order(len(selection.chosen), condition.order).tolist()  # type: ignore[arg-type]
    layout = replace(context.layout, question=condition.question)  # type: ignore[arg-type]
    assembler = replace(context, layout=layout)
    return assembler.assemble(task.id, task.question, selection, order=order)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The answers of n tasks in c cells.

    correct, refused: 1 or 0, NaN where the call failed, [c, n].  length: characters, NaN as well.
    recall: the share of the evidence in the prompt, [c, n].  fill: the share of the model's window
    that the prompt takes, by o200k tokens, [c, n].  hashes: sha256 (hex) of each prompt, [c][n].
    """

    tasks: tuple[str, ...]
    cells: tuple[Cell, ...]
    answers: tuple[tuple[str | None, ...], ...]
    hashes: tuple[tuple[str, ...], ...]
    correct: Values
    refused: Values
    length: Values
    recall: Values
    fill: Values

    @property
    def missing(self) -> int:
        """Calls without an answer."""
        return int(np.isnan(self.correct).sum())

    def of_tasks(self, chosen: NDArray[np.bool_]) -> Sheet:
        """The same cells of some tasks alone.  chosen: [n]."""
        rows = np.flatnonzero(chosen).tolist()
        return replace(
            self,
            tasks=tuple(self.tasks[row] for row in rows),
            answers=tuple(tuple(said[row] for row in rows) for said in self.answers),
            hashes=tuple(tuple(told[row] for row in rows) for told in self.hashes),
            **{name: getattr(self, name)[:, rows] for name in _NUMBERS},
        )

    def positions(self, condition: Condition) -> list[int | None]:
        """The positions of a condition, in the order of the columns."""
        found = [cell.position for cell in self.cells if cell.condition == condition]
        return list(dict.fromkeys(found))

    def by_position(self, condition: Condition, values: Values) -> Values:
        """[tasks, positions]: means over the repeats that have an answer, NaN without one."""
        return np.stack(
            [
                _means(
                    values[
                        [
                            row
                            for row, cell in enumerate(self.cells)
                            if (cell.condition, cell.position) == (condition, position)
                        ]
                    ]
                )
                for position in self.positions(condition)
            ],
            axis=1,
        )

    def by_task(self, condition: Condition) -> Values:
        """[tasks]: the mean correctness over positions and repeats, NaN where one is missing."""
        return np.asarray(self.by_position(condition, self.correct).mean(axis=1))

    def frame(self) -> pd.DataFrame:
        """One row a call; answers without what no file can hold."""
        import pandas as pd

        cells = [
            {**cell.condition._asdict(), "position": cell.position, "repeat": cell.repeat}
            for cell in self.cells
        ]
        frame = pd.DataFrame([cell for cell in cells for _ in self.tasks])
        frame.insert(0, "task", [*self.tasks] * len(self.cells))
        frame["position"] = frame["position"].astype("Int64")
        frame["context_hash"] = [told for row in self.hashes for told in row]
        frame["answer"] = [
            answer if answer is None else storable_text(answer)
            for row in self.answers
            for answer in row
        ]
        for name in _NUMBERS:
            frame[name] = getattr(self, name).ravel()
        return frame


def fill_sheet(
    tasks: Sequence[Sequence[Task]],
    cells: Sequence[Cell],
    assembled: Sequence[Sequence[Assembled]],
    answers: Sequence[Sequence[Answer]],
    window: int,
) -> Sheet:
    """The sheet of the tasks and what was assembled and answered for them, [c][n] each.

    window: of the model, in tokens.
    """
    from generation.usage import count_tokens

    texts = tuple(tuple(answer.text for answer in row) for row in answers)
    given = np.array([[1.0 if text is not None else np.nan for text in row] for row in texts])
    return Sheet(
        tuple(task.id for task in tasks[0]),
        tuple(cells),
        texts,
        tuple(tuple(one.manifest.context_hash for one in row) for row in assembled),
        correct=np.stack([score(own, row) for own, row in zip(tasks, texts, strict=True)]),
        refused=given * np.array([[refuses(text or "") for text in row] for row in texts]),
        length=given * np.array([[len(text or "") for text in row] for row in texts]),
        recall=np.array(
            [
                [
                    assembly_recall(_as_documents(one), [passage.id for passage in task.evidence])
                    for one, task in zip(row, own, strict=True)
                ]
                for row, own in zip(assembled, tasks, strict=True)
            ],
            dtype=np.float64,
        ),
        fill=np.array([[count_tokens(one.prompt) / window for one in row] for row in assembled]),
    )


def _as_documents(one: Assembled) -> list[Evidence]:
    """Each passage as a document of its own: what is needed here is the passage."""
    return [replace(passage, document=passage.id) for passage in one.manifest.selected]


def _means(values: Values) -> Values:
    """Means over the rows, of what is not NaN."""
    known = ~np.isnan(values)
    counts = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)
