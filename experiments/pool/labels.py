"""The judgements that a page saved: read, compared between two people, and merged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chunk_quality.review_sample import printable

if TYPE_CHECKING:
    from experiments.pool.pooling import Pool

Pair = tuple[str, str]
GRADES = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Labels:
    """What one person said.

    who: the name on the page.  grades: (query id, document id) -> 0, 1 or 2.
    skipped: pairs that were looked at and left.
    """

    who: str
    path: Path
    saved_at: str
    grades: Mapping[Pair, int]
    skipped: frozenset[Pair]


def read_labels(path: Path, pool: Pool) -> Labels:
    """The labels of one person, as the page saved them.

    Raises ValueError for a file that is none, of another pool, or with a strange judgement.
    """
    page, mark, rows = _saved(path)
    if mark != pool.fingerprint:
        raise ValueError(
            f"{path} judges another pool ({mark}, not {pool.fingerprint}): give pool.folder=…, the "
            "folder of its page."
        )
    known = {
        (printable(query), printable(document)): (query, document) for query, document in pool.pairs
    }
    judged: dict[Pair, int | None] = {}
    for number, (query, document, grade) in enumerate(rows, 1):
        pair = known.get((query, document))
        if pair is None or not (grade is None or (type(grade) is int and grade in GRADES)):
            raise ValueError(
                f"{path}, judgement {number}: {query!r}, {document!r}, {grade!r} is none of this "
                "pool: a pair of it and 0, 1, 2 or null are wanted."
            )
        if pair in judged:
            raise ValueError(
                f"{path}, judgement {number}: {query!r}, {document!r} is judged twice: save the "
                "labels again."
            )
        judged[pair] = grade
    grades = {pair: grade for pair, grade in judged.items() if grade is not None}
    skipped = frozenset(judged.keys() - grades.keys())
    who = " ".join(str(page.get("labeller", "")).split()) or path.stem
    return Labels(who, path, str(page.get("saved_at", "")), grades, skipped)


def _saved(path: Path) -> tuple[dict[str, Any], Any, list[tuple[str, str, Any]]]:
    """All that the page saved, its pool, and its judgements: query, document (printed), grade."""
    try:
        page = json.loads(path.read_text(encoding="utf-8-sig"))
        rows = [(str(query), str(name), grade) for query, name, grade in page["judgements"]]
        return page, page["pool"], rows
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read ({error.strerror}): give the saved file."
        ) from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(
            f"{path} is no file that the page saved ({error}): save it again."
        ) from None


def cohens_kappa(one: Sequence[int], other: Sequence[int]) -> float | None:
    """Agreement beyond chance of two people on the same pairs, from -1 to 1.

    kappa = (p_o - p_e) / (1 - p_e), p_o the share of equal grades, p_e the share expected from how
    often each gives each grade. None without a pair, and where both give one grade alone, which
    leaves chance nothing. Cohen, Educational and Psychological Measurement 1960.
    """
    left, right = np.asarray(one), np.asarray(other)
    if not left.size:
        return None
    expected = sum(float((left == grade).mean() * (right == grade).mean()) for grade in GRADES)
    if np.isclose(expected, 1.0):
        return None
    return (float((left == right).mean()) - expected) / (1 - expected)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two people: kappa (None where it is not defined), pairs both judged, and how many differ.

    kappa is not weighted: 0 against 2 counts as 1 against 2.
    """

    labellers: tuple[str, str]
    kappa: float | None
    judged_by_both: int
    disagreements: int

    @property
    def sentence(self) -> str:
        """For the terminal."""
        one, other = self.labellers
        if not self.judged_by_both:
            return f"{one} and {other} judged no passage in common: their agreement is not known."
        undefined = "not defined, for all got one grade"
        told = undefined if self.kappa is None else f"{self.kappa:.3f}"
        return (
            f"{one} and {other} both judged {self.judged_by_both} passages and differ on "
            f"{self.disagreements}: Cohen's kappa {told}."
        )


def agreement(one: Labels, other: Labels) -> Agreement:
    """How far two people agree on the pairs that both judged."""
    shared = [pair for pair in one.grades if pair in other.grades]
    mine, theirs = ([each.grades[pair] for pair in shared] for each in (one, other))
    differ = sum(left != right for left, right in zip(mine, theirs, strict=True))
    return Agreement((one.who, other.who), cohens_kappa(mine, theirs), len(shared), differ)


def disagreements(labels: Sequence[Labels]) -> list[tuple[str, str, tuple[int | None, ...]]]:
    """(query, document, each person's grade or None) where grades differ, the widest first."""
    pairs = dict.fromkeys(pair for one in labels for pair in one.grades)
    rows = [(*pair, tuple(one.grades.get(pair) for one in labels)) for pair in pairs]
    return sorted((row for row in rows if _spread(row[2])), key=lambda row: -_spread(row[2]))


def _spread(grades: Sequence[int | None]) -> int:
    given = [grade for grade in grades if grade is not None]
    return max(given) - min(given)


def refuse_twice(labels: Sequence[Labels]) -> None:
    """Raises ValueError where two files are one person's: the older would be a second opinion."""
    for place, one in enumerate(labels):
        for other in labels[:place]:
            if one.who == other.who:
                newer = max(other, one, key=lambda each: each.saved_at)
                raise ValueError(
                    f"{other.path} and {one.path} are both by {one.who}: give the one saved last, "
                    f"{newer.path}, or another name on the page."
                )


def merged(labels: Sequence[Labels]) -> dict[Pair, int]:
    """The first person's grade of each pair; another's where those before gave none."""
    grades: dict[Pair, int] = {}
    for one in labels:
        for pair, grade in one.grades.items():
            grades.setdefault(pair, grade)
    return grades
