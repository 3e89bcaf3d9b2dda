"""The columns of ragas's scores: what each needs, and the table with what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from experiments.metrics.per_query import PerQuery
from experiments.rag.answer_rows import ORDERS, AnswerRow

Cell = float | str
"""A score, or why there is none."""

NO_ANSWER, NO_REFERENCE = "the call for the answer failed", "no reference answer"
NO_LABELS, NO_QUESTION = "no labelled document", "no question"
_WHY_MISSING = {
    "question": NO_QUESTION,
    "answer": NO_ANSWER,
    "reference": NO_REFERENCE,
    "reference_ids": NO_LABELS,
    "reference_contexts": NO_LABELS,
}


@dataclass(frozen=True, slots=True)
class Needs:
    """What a metric reads of a row.

    fields: that must be there.  context: whether an empty context scores 0.
    ordered: whether the order of the passages can change the score.
    blank_answer: what an answer of blanks scores, or why it has no score; None leaves it to the
        metric.
    """

    fields: tuple[str, ...]
    context: bool = False
    ordered: bool = False
    blank_answer: float | str | None = None

    def settled(self, row: AnswerRow) -> float | str | None:
        """A score that nobody need compute, or why there is none, or None: it is to be computed."""
        for name in self.fields:
            value = getattr(row, name)
            if value in (None, ()) or (name == "question" and not value.strip()):
                return _WHY_MISSING[name]
        if self.context and not row.has_context:
            return 0.0
        if self.blank_answer is not None and not (row.answer or "").strip():
            return self.blank_answer
        return None


@dataclass(frozen=True, slots=True)
class Column:
    """One metric in one order; order "" where the order cannot change it."""

    metric: str
    order: str

    @property
    def name(self) -> str:
        """As tables have it: ragas_METRIC or ragas_METRIC_ORDER."""
        return "_".join(part for part in ("ragas", self.metric, self.order) if part)


def columns(
    names: Sequence[str], known: Mapping[str, Needs], orders: Sequence[str]
) -> list[Column]:
    """The columns of these metrics.

    Raises ValueError for a metric or an order that does not exist, with the nearest name.
    """
    for given, there in ((names, known), (orders, ORDERS)):
        for name in given:
            if name not in there:
                near = get_close_matches(name, there, n=1) or there
                raise ValueError(
                    f"There is no '{name}' among ragas's metrics and orders here: "
                    f"did you mean {' or '.join(near)}?"
                )
    return [
        Column(name, order)
        for name in dict.fromkeys(names)
        for order in (dict.fromkeys(orders) if known[name].ordered else ("",))
    ]


def table(
    rows: Sequence[AnswerRow],
    names: Sequence[Column],
    cells: Sequence[Sequence[Cell]],
    notes: Sequence[str] = (),
) -> PerQuery:
    """The scores; of a cell without one, the reason is counted into the notes.

    cells: [q][columns], a score or why there is none. A score that is not finite has no reason.
    """
    values = np.array(
        [[np.nan if isinstance(cell, str) else cell for cell in row] for row in cells], dtype=float
    ).reshape(len(rows), len(names))
    values[~np.isfinite(values)] = np.nan
    return PerQuery(
        tuple(row.id for row in rows),
        metrics=tuple(column.name for column in names),
        values=values,
        higher_is_better=(True,) * len(names),
        notes=(*_counted(names, cells), *notes),
    )


def _counted(names: Sequence[Column], cells: Sequence[Sequence[Cell]]) -> list[str]:
    """One sentence for the columns that cover the same queries; none where all are covered."""
    told: dict[str, list[str]] = {}
    for place, column in enumerate(names):
        own = [row[place] for row in cells]
        reasons = Counter(
            cell if isinstance(cell, str) else "ragas gave no number"
            for cell in own
            if isinstance(cell, str) or not np.isfinite(cell)
        )
        if reasons:
            why = ", ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
            left = f"scored on {len(own) - reasons.total()} of {len(own)} queries: {why}."
            told.setdefault(left, []).append(column.name)
    return [f"{', '.join(columns)}: {left}" for left, columns in told.items()]
