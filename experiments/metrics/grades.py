"""The grades of labels: whole numbers, and never cut to one in silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.schema import Qrels

GREATEST = 999_999_999
"""Grades lie between this and its negative."""


def whole_grades(
    query_ids: Sequence[str], judged: Sequence[Mapping[str, Any]]
) -> NDArray[np.int64]:
    """The grades of all labels, query after query, as integers; 2.0 is read as 2.

    Raises ValueError, with query and document, for a grade that is no whole number in range.
    """
    given = [*chain.from_iterable(grades.values() for grades in judged)]
    plain = _plain(given)
    if plain is not None:
        return plain
    for query, grades in zip(query_ids, judged, strict=True):
        for document, grade in grades.items():
            _refuse_odd(query, document, grade)
    return np.fromiter(given, dtype=np.int64, count=len(given))


def highest(qrels: Qrels, query_ids: Sequence[str]) -> int | None:
    """The highest grade that these queries give; None where they have no label."""
    return max(chain.from_iterable(qrels.get(q, {}).values() for q in query_ids), default=None)


def _plain(given: Sequence[Any]) -> NDArray[np.int64] | None:
    """Grades that are all of Python's int and in range, without a look at each."""
    if set(map(type, given)) <= {int}:
        try:
            grades = np.fromiter(given, dtype=np.int64, count=len(given))
        except OverflowError:
            return None
        if grades.min(initial=0) >= -GREATEST and grades.max(initial=0) <= GREATEST:
            return grades
    return None


def _refuse_odd(query: str, document: str, grade: Any) -> None:
    number = isinstance(grade, int | float | np.integer | np.floating)
    if not (number and abs(grade) <= GREATEST and grade == int(grade)):
        raise ValueError(
            f'Query "{query}" and document "{document}" have the grade {grade!r:.40}: '
            f"give a whole number from {-GREATEST} to {GREATEST}."
        )
