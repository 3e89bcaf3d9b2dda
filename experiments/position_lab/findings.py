"""What a sheet says: accuracy by position, the gap, the drop with length, what an order gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.multiple_testing import holm_known
from experiments.metrics.significance import PairedDifference, paired_difference
from experiments.position_lab.cells import Condition
from experiments.position_lab.measures import PositionGap, Share, accuracies, position_gap
from experiments.position_lab.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Finding:
    """One condition, over all questions or over those of one kind.

    kind: a value of a tag, such as paraphrased; "" for all questions.
    positions: percent, or None alone where the evidence lies as the condition says.
    accuracy: of each.  gap: over them; p_holm: its p for the number of conditions and kinds that
    were tested (Holm, 1979), None where there is no p.
    recall: mean assembly_recall.  fill: the largest share of the model's window.
    length: mean characters of an answer.  refused: share of refusals, by position each.
    """

    condition: Condition
    positions: tuple[int | None, ...]
    accuracy: tuple[Share, ...]
    gap: PositionGap
    p_holm: float | None
    recall: float
    fill: float
    length: tuple[float | None, ...]
    refused: tuple[float | None, ...]
    kind: str = ""

    @property
    def label(self) -> str:
        """For tables and figures."""
        return f"{self.condition.label}, {self.kind}" if self.kind else self.condition.label

    @property
    def p(self) -> float | None:
        """Of its gap, by itself."""
        return self.gap.p


@dataclass(frozen=True, slots=True)
class Contrast:
    """One condition minus another over the same tasks, each with its mean over the positions.

    p_holm: the p of the difference for all contrasts of this name (Holm, 1979).
    """

    name: str
    condition: Condition
    baseline: Condition
    difference: PairedDifference
    p_holm: float | None = None

    @property
    def p(self) -> float | None:
        """Of its difference, by itself."""
        return self.difference.p


T = TypeVar("T", Finding, Contrast)


@dataclass(frozen=True, slots=True)
class Findings:
    """All of a lab.

    drops: the shortest prompts minus the longest ones (`length_drop`).
    gains: each order minus `none`.  missing: calls without an answer, of `calls`.
    kinds: each condition over each kind of question; p_holm is for all of these.
    """

    conditions: tuple[Finding, ...]
    drops: tuple[Contrast, ...]
    gains: tuple[Contrast, ...]
    missing: int
    calls: int
    kinds: tuple[Finding, ...] = ()

    def measures(self) -> dict[str, float]:
        """All finite numbers, for a tracker."""
        found: dict[str, float | None] = {"calls": self.calls, "missing": self.missing}
        for one in self.conditions:
            key = one.condition.key
            found |= {f"position_gap/{key}": one.gap.gap, f"position_gap_p/{key}": one.gap.p}
            found |= {f"assembly_recall/{key}": one.recall, f"window_fill/{key}": one.fill}
            for position, share in zip(one.positions, one.accuracy, strict=True):
                place = "" if position is None else f"/{position}"
                found[f"accuracy/{key}{place}"] = share.mean
        for contrast in (*self.drops, *self.gains):
            name = f"{contrast.name}/{contrast.condition.key}"
            found[name] = contrast.difference.mean
        return {name: float(value) for name, value in found.items() if value is not None}

    def as_json(self) -> dict[str, Any]:
        """A JSON value of all of it."""
        return {
            "conditions": [_finding_json(one) for one in self.conditions],
            "kinds": [_finding_json(one) for one in self.kinds],
            "length_drop": [_as_json(one) for one in self.drops],
            "order_gain": [_as_json(one) for one in self.gains],
            "calls": self.calls,
            "missing": self.missing,
        }


def find(
    sheet: Sheet,
    conditions: Sequence[Condition],
    *,
    seed: int,
    kinds: Mapping[str, NDArray[np.bool_]],
) -> Findings:
    """All findings of a sheet.

    seed: of the permutations.  kinds: kind of question -> which tasks are of it, [n].
    """
    every = [
        _finding(own, one, seed, kind)
        for kind, tasks in kinds.items()
        for own in [sheet.of_tasks(tasks)]
        for one in conditions
    ]
    return Findings(
        _corrected([_finding(sheet, one, seed) for one in conditions]),
        drops=_corrected(_drops(sheet, conditions)),
        gains=_corrected(_gains(sheet, conditions)),
        missing=sheet.missing,
        calls=sheet.correct.size,
        kinds=_corrected(every),
    )


def _corrected(found: Sequence[T]) -> tuple[T, ...]:
    """With p corrected for as many tests as were made; None stays."""
    adjusted = holm_known([one.p for one in found])
    return tuple(replace(one, p_holm=p) for one, p in zip(found, adjusted, strict=True))


def _finding(sheet: Sheet, one: Condition, seed: int, kind: str = "") -> Finding:
    rows = [row for row, cell in enumerate(sheet.cells) if cell.condition == one]
    correct = sheet.by_position(one, sheet.correct)
    return Finding(
        one,
        tuple(sheet.positions(one)),
        tuple(accuracies(correct)),
        position_gap(correct, seed=seed),
        p_holm=None,
        recall=float(sheet.recall[rows].mean()),
        fill=float(sheet.fill[rows].max()),
        length=_column_means(sheet.by_position(one, sheet.length)),
        refused=_column_means(sheet.by_position(one, sheet.refused)),
        kind=kind,
    )


def _drops(sheet: Sheet, conditions: Sequence[Condition]) -> list[Contrast]:
    lengths = [one.documents for one in conditions]
    if min(lengths) == max(lengths):
        return []
    short = [one for one in conditions if one.documents == min(lengths)]
    return [
        _contrast("length_drop", sheet, one, one._replace(documents=max(lengths))) for one in short
    ]


def _gains(sheet: Sheet, conditions: Sequence[Condition]) -> list[Contrast]:
    return [
        _contrast("order_gain", sheet, one, plain)
        for one in conditions
        if one.order != "none" and (plain := one._replace(order="none")) in conditions
    ]


def _contrast(name: str, sheet: Sheet, one: Condition, other: Condition) -> Contrast:
    difference = paired_difference(sheet.by_task(one), sheet.by_task(other))
    return Contrast(name, one, other, difference)


def _column_means(values: np.ndarray) -> tuple[float | None, ...]:
    known = [column[~np.isnan(column)] for column in values.T]
    return tuple(float(column.mean()) if column.size else None for column in known)


def _finding_json(one: Finding) -> dict[str, Any]:
    return {
        **asdict(one),
        "condition": one.condition._asdict(),
        "accuracy": [share._asdict() for share in one.accuracy],
        "gap": one.gap._asdict(),
    }


def _as_json(one: Contrast) -> dict[str, Any]:
    return {
        "condition": one.condition._asdict(),
        "baseline": one.baseline._asdict(),
        **asdict(one.difference),
        "p_holm": one.p_holm,
    }
