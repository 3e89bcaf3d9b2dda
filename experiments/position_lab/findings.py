"""What a sheet says: accuracy by position, the gap, the drop with length, what an order gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from experiments.metrics.multiple_testing import holm
from experiments.metrics.significance import PairedDifference, paired_difference
from experiments.position_lab.cells import Condition
from experiments.position_lab.measures import PositionGap, Share, accuracies, position_gap
from experiments.position_lab.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Finding:
    """One condition.

    positions: percent.  accuracy: of each.  gap: over them; p_holm: its p for the number of
    conditions that were tested (Holm, 1979), None where there is no p.
    recall: mean assembly_recall.  fill: the largest share of the model's window.
    length: mean characters of an answer.  refused: share of refusals, by position each.
    """

    condition: Condition
    positions: tuple[int, ...]
    accuracy: tuple[Share, ...]
    gap: PositionGap
    p_holm: float | None
    recall: float
    fill: float
    length: tuple[float | None, ...]
    refused: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """One condition minus another over the same tasks, each with its mean over the positions."""

    name: str
    condition: Condition
    baseline: Condition
    difference: PairedDifference


@dataclass(frozen=True, slots=True)
class Findings:
    """All of a lab.

    drops: the shortest prompts minus the longest ones (`length_drop`).
    gains: each order minus `none`.  missing: calls without an answer, of `calls`.
    """

    conditions: tuple[Finding, ...]
    drops: tuple[Contrast, ...]
    gains: tuple[Contrast, ...]
    missing: int
    calls: int

    def measures(self) -> dict[str, float]:
        """All finite numbers, for a tracker."""
        found: dict[str, float | None] = {"calls": self.calls, "missing": self.missing}
        for one in self.conditions:
            key = one.condition.key
            found |= {f"position_gap/{key}": one.gap.gap, f"position_gap_p/{key}": one.gap.p}
            found |= {f"assembly_recall/{key}": one.recall, f"window_fill/{key}": one.fill}
            for position, share in zip(one.positions, one.accuracy, strict=True):
                found[f"accuracy/{key}/{position}"] = share.mean
        for contrast in (*self.drops, *self.gains):
            name = f"{contrast.name}/{contrast.condition.key}"
            found[name] = contrast.difference.mean
        return {name: float(value) for name, value in found.items() if value is not None}

    def as_json(self) -> dict[str, Any]:
        """A JSON value of all of it."""
        return {
            "conditions": [
                {
                    **asdict(one),
                    "condition": one.condition._asdict(),
                    "accuracy": [share._asdict() for share in one.accuracy],
                    "gap": one.gap._asdict(),
                }
                for one in self.conditions
            ],
            "length_drop": [_as_json(one) for one in self.drops],
            "order_gain": [_as_json(one) for one in self.gains],
            "calls": self.calls,
            "missing": self.missing,
        }


def find(sheet: Sheet, conditions: Sequence[Condition], *, seed: int) -> Findings:
    """All findings of a sheet.  seed: of the permutations."""
    gaps = [position_gap(sheet.by_position(one, sheet.correct), seed=seed) for one in conditions]
    tested = [row for row, gap in enumerate(gaps) if gap.p is not None]
    adjusted = holm([gaps[row].p or 0.0 for row in tested]).tolist() if tested else []
    p_holm: dict[int, float] = dict(zip(tested, adjusted, strict=True))
    return Findings(
        tuple(
            _finding(sheet, one, gap, p_holm.get(row))
            for row, (one, gap) in enumerate(zip(conditions, gaps, strict=True))
        ),
        drops=tuple(_drops(sheet, conditions)),
        gains=tuple(_gains(sheet, conditions)),
        missing=sheet.missing,
        calls=sheet.correct.size,
    )


def _finding(sheet: Sheet, one: Condition, gap: PositionGap, p_holm: float | None) -> Finding:
    rows = [row for row, cell in enumerate(sheet.cells) if cell.condition == one]
    return Finding(
        one,
        tuple(sheet.positions(one)),
        tuple(accuracies(sheet.by_position(one, sheet.correct))),
        gap,
        p_holm,
        recall=float(sheet.recall[rows].mean()),
        fill=float(sheet.fill[rows].max()),
        length=_column_means(sheet.by_position(one, sheet.length)),
        refused=_column_means(sheet.by_position(one, sheet.refused)),
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


def _as_json(one: Contrast) -> dict[str, Any]:
    return {
        "condition": one.condition._asdict(),
        "baseline": one.baseline._asdict(),
        **asdict(one.difference),
    }
