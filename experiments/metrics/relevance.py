"""From ids to integers: where the relevant documents of many rankings stand.

A metric needs only the places of the relevant results, and they are few. So ids become integers
once (`Labels`), one table lookup grades every result of every ranking, and all that follows reads
the sparse `Hits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.grades import whole_grades
from experiments.metrics.ids import places
from experiments.schema import Qrels

Grades = NDArray[Any]
Indices = NDArray[np.intp]

UNJUDGED = -1
NO_RESULT = -2
_TABLE_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Documents with a positive grade in many rankings, row by row, best place first.

    row: [h], the ranking, counted through `shape`.  rank: [h], its place, 1 = best.
    ordinal: [h], 1 for the first hit of its ranking, 2 for the second, ...
    grade: [h].  shape: (..., q), one ranking a cell.
    """

    row: Indices
    rank: Indices
    ordinal: Indices
    grade: Grades
    shape: tuple[int, ...]

    @classmethod
    def at(cls, row: Indices, rank: Indices, grade: Grades, shape: tuple[int, ...]) -> Hits:
        """Hits given in order of row, then rank."""
        return cls(row, rank, _ordinals(row, int(np.prod(shape))), grade, shape)

    @classmethod
    def among(cls, grades: Grades) -> Hits:
        """The hits of a grade matrix [..., q, depth]."""
        flat = np.flatnonzero(grades > 0)
        row, column = np.divmod(flat, max(grades.shape[-1], 1))
        return cls.at(row, column + 1, grades.reshape(-1)[flat], grades.shape[:-1])

    def graded(self, level: int) -> Hits:
        """The hits of that grade or a higher one."""
        kept = self.grade >= level
        if kept.all():
            return self
        return Hits.at(self.row[kept], self.rank[kept], self.grade[kept], self.shape)

    def within(self, k: int | None) -> Hits:
        """The hits in the first k places; k None means every place."""
        if k is None or not len(self.rank) or k >= self.rank.max():
            return self
        kept = self.rank <= k
        return Hits(
            self.row[kept], self.rank[kept], self.ordinal[kept], self.grade[kept], self.shape
        )

    def total(self, weights: NDArray[Any] | None = None) -> NDArray[Any]:
        """The sum of the weights (default: the number) of each ranking's hits, [..., q]."""
        cells = int(np.prod(self.shape))
        return np.bincount(self.row, weights, minlength=cells).reshape(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """All that a metric may know of many rankings. No score of a retriever is in it.

    grades: integers [..., q, depth]; -1 = never judged, -2 = no result there.
    graded: hits of any positive grade, what gains are read from.
    relevant: hits that count as relevant.
    ideal: of shape (q,), every document of a positive grade, best grade first.
    n_relevant: [q], the relevant documents of each query, found or not.
    """

    grades: Grades
    graded: Hits
    relevant: Hits
    ideal: Hits
    n_relevant: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Qrels as integers, aligned to q queries and n ids: made once, used for many rankings.

    row, node, grade: [j], the judged pairs in order of row. node is -1 where no corpus has the
        document: it cannot be found, and it counts among the relevant ones all the same. A
        negative grade (TREC marks spam so) is kept as 0: judged and not relevant.
    ideal: of shape (q,), the best ranking there could be.
    """

    row: Indices
    node: Indices
    grade: Grades
    ideal: Hits
    n_nodes: int

    @classmethod
    def of(cls, qrels: Qrels, query_ids: Sequence[str], node_ids: Sequence[str]) -> Labels:
        """Labels for rankings of these queries over these ids.

        Raises ValueError where an id stands twice (its second row could never be found relevant)
        and for a grade that is no whole number.
        """
        repeated = len(node_ids) - len(set(node_ids))
        if repeated:
            raise ValueError(
                f"{repeated} ids of the ranking stand twice: give every document or chunk an id "
                f"of its own."
            )
        judged = [qrels.get(query, {}) for query in query_ids]
        row = np.repeat(np.arange(len(judged)), [len(grades) for grades in judged])
        node = places([*chain.from_iterable(judged)], node_ids)
        grade = np.maximum(whole_grades(query_ids, judged), 0)
        return cls(row, node, grade, _ideal(row, grade, len(judged)), len(node_ids))

    def judge(self, nodes: NDArray[Any], rel_level: int = 1) -> Relevance:
        """The relevance of rankings `nodes` [..., q, depth], rows of the ids, -1 = no result."""
        return self.relevance(self.grades(nodes), rel_level)

    def relevance(self, grades: Grades, rel_level: int = 1) -> Relevance:
        """The relevance of graded rankings [..., q, depth].

        A search that only reorders the same candidates grades them once and comes here.
        """
        graded = Hits.among(grades)
        n_relevant = self.ideal.graded(rel_level).total()
        return Relevance(grades, graded, graded.graded(rel_level), self.ideal, n_relevant)

    def grades(self, nodes: NDArray[Any]) -> Grades:
        """The grade of every result: nodes [..., q, depth] -> integers of the same shape.

        A table of some queries by all ids is filled, read and emptied again: no id is compared.
        """
        width, queries = self.n_nodes + 1, nodes.shape[-2]
        per_query = max(width, int(np.prod(nodes.shape[:-2])) * nodes.shape[-1])
        step = max(1, min(_TABLE_CELLS // per_query, queries))
        top = int(self.grade.max(initial=0))
        table = np.full(step * width, UNJUDGED, dtype=np.min_scalar_type(NO_RESULT - top))
        table[::width] = NO_RESULT
        graded = np.empty(nodes.shape, dtype=table.dtype)
        known = self.node >= 0
        row, grade = self.row[known], self.grade[known].astype(table.dtype)
        cells = row % step * width + self.node[known] + 1
        bounds = np.searchsorted(row, np.arange(0, queries + step, step))
        offsets = 1 + width * np.arange(step)[:, None]
        for block, start in enumerate(range(0, queries, step)):
            part = slice(bounds[block], bounds[block + 1])
            table[cells[part]] = grade[part]
            here = nodes[..., start : start + step, :]
            wanted = here + offsets[: here.shape[-2]]
            # No cell lies outside, and "clip" writes in place; "raise" would copy to be sure.
            table.take(wanted, out=graded[..., start : start + step, :], mode="clip")
            table[cells[part]] = UNJUDGED
        return graded


def _ordinals(row: Indices, n_rows: int) -> Indices:
    """1 for the first of its row, 2 for the second, ...; `row` [h] never falls."""
    counts = np.bincount(row, minlength=n_rows)
    return np.arange(1, len(row) + 1) - (np.cumsum(counts) - counts)[row]


def _ideal(row: Indices, grade: Grades, n_queries: int) -> Hits:
    positive = grade > 0
    levels = int(grade.max(initial=0)) + 1
    # One key that falls with the grade: sorting it sorts by query, then best grade first.
    key = np.sort(row[positive] * levels + (levels - 1 - grade[positive]), kind="stable")
    row, below_top = np.divmod(key, levels)
    rank = _ordinals(row, n_queries)
    return Hits(row, rank, rank, levels - 1 - below_top, (n_queries,))
