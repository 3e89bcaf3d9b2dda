"""What every retriever returns and every postprocessor, metric and submission reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Scores = NDArray[np.float64]
Flags = NDArray[np.bool_]

Results = Iterable[str | int | tuple[str, float] | tuple[int, float]]
"""Ids, or (id, score) pairs, best first; a whole number is read as text."""

EVERY_PART = "*"


class QueryPlan(NamedTuple):
    """What one message asks of each part of a retriever.

    id: the query's id.
    texts: part name -> one or several texts (several are searched apart and fused by rank).
        The name "*" stands for every part that has no entry of its own.
    """

    id: str
    texts: Mapping[str, tuple[str, ...]]

    def for_part(self, name: str) -> QueryPlan:
        """The plan as the part `name` reads it: its own texts under "*"."""
        return QueryPlan(self.id, {EVERY_PART: self.texts.get(name, self.texts[EVERY_PART])})


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Best-first results of many queries. Position is the ranking; scores only inform.

    query_ids: length q.
    node_ids: the n ids that `nodes` points into, in corpus order.
    nodes: int32 [q, depth], rows of `node_ids`, -1 where a query has fewer results. Results
        stand first, no row repeats an id.
    scores: float64 [q, depth], NaN where `nodes` is -1 or where a step ranks without scoring.
    parts: name -> float64 [q, depth], each part's own raw score of that candidate, NaN where
        it gave none; what fusion and search read.

    Raises ValueError for tables of different shapes, a query id that stands twice, and a row that
    no node has.
    """

    query_ids: tuple[str, ...]
    node_ids: tuple[str, ...]
    nodes: Rows
    scores: Scores
    parts: Mapping[str, Scores] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = (len(self.query_ids), self.nodes.shape[1] if self.nodes.ndim == 2 else -1)
        tables: dict[str, NDArray[Any]] = {"nodes": self.nodes, "scores": self.scores, **self.parts}
        for name, table in tables.items():
            if table.shape != shape:
                raise ValueError(f"Ranking: {name} has the shape {table.shape}, not {shape}.")
        self._check_queries()
        self._check_rows()

    @property
    def depth(self) -> int:
        """The number of columns: no query has more results."""
        return int(self.nodes.shape[1])

    def lengths(self) -> NDArray[np.int64]:
        """How many results each query has, [q]."""
        return np.asarray(np.count_nonzero(self.nodes >= 0, axis=1), dtype=np.int64)

    def ids(self, row: int) -> list[str]:
        """The ids of one query's results, best first."""
        return [self.node_ids[node] for node in self.nodes[row] if node >= 0]

    def by_query(self) -> dict[str, list[str]]:
        """Query id -> the ids of its results, best first."""
        return {query: self.ids(row) for row, query in enumerate(self.query_ids)}

    def head(self, depth: int) -> Ranking:
        """The first `depth` results of every query. Raises ValueError for a depth below 0."""
        if depth < 0:
            raise ValueError(f"The head of a ranking was asked at depth {depth}: give 0 or more.")
        return replace(
            self,
            nodes=self.nodes[:, :depth],
            scores=self.scores[:, :depth],
            parts={name: table[:, :depth] for name, table in self.parts.items()},
        )

    def without(self, blocked: NDArray[np.bool_]) -> Ranking:
        """The same ranking with the results of the blocked queries ([q]) taken away."""
        keep = ~blocked[:, None]
        return replace(
            self,
            nodes=np.where(keep, self.nodes, np.int32(-1)),
            scores=np.where(keep, self.scores, np.nan),
            parts={name: np.where(keep, table, np.nan) for name, table in self.parts.items()},
        )

    @classmethod
    def from_lists(
        cls,
        results: Mapping[str, Results] | Mapping[int, Results],
        node_ids: Iterable[str | int] | None = None,
    ) -> Ranking:
        """A ranking from query id -> ids (or (id, score) pairs), best first.

        An id that a query repeats is kept once, at its first place. `node_ids` fixes the ids and
        their order; ids outside it are added at the end. A whole number is read as text, as the
        datasets do: 1 and "1" are one id.

        Raises ValueError for a query whose results are no list, and for a result that is no id.
        """
        names = [_text_id(name, "node_ids") for name in node_ids or ()]
        rows = {name: row for row, name in enumerate(names)}
        asked = tuple(_text_id(query, "the queries") for query in results)
        unique = [_first_of_each(*each) for each in zip(asked, results.values(), strict=True)]
        depth = max((len(found) for found in unique), default=0)
        nodes = np.full((len(unique), depth), -1, dtype=np.int32)
        scores = np.full((len(unique), depth), np.nan)
        for row, found in enumerate(unique):
            for place, (name, score) in enumerate(found.items()):
                nodes[row, place] = rows.setdefault(name, len(rows))
                scores[row, place] = score
        return cls(asked, tuple(rows), nodes, scores)

    def _check_queries(self) -> None:
        if len(set(self.query_ids)) != len(self.query_ids):
            twice = next(name for name in self.query_ids if self.query_ids.count(name) > 1)
            raise ValueError(f'Ranking: query "{twice}" stands twice: give each query one row.')

    def _check_rows(self) -> None:
        if self.nodes.size and self.nodes.dtype.kind not in "iu":
            raise ValueError(f"Ranking: nodes holds {self.nodes.dtype}, not whole numbers.")
        low, high = self.nodes.min(initial=-1), self.nodes.max(initial=-1)
        if low < -1 or high >= len(self.node_ids):
            raise ValueError(
                f"Ranking: nodes holds the row {low if low < -1 else high} and there are "
                f"{len(self.node_ids)} ids: give rows from 0, and -1 where there is no result."
            )


def _first_of_each(query: str, found: Iterable[Any]) -> dict[str, float]:
    if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
        raise ValueError(
            f'The results of query "{query}" are {found!r:.60}: give a list of ids, best first.'
        )
    best: dict[str, float] = {}
    for item in found:
        name, score = (item, np.nan) if isinstance(item, str) else _scored(query, item)
        best.setdefault(name, score)
    return best


def _scored(query: str, item: Any) -> tuple[str, float]:
    """The id and the score of a result that is no plain text."""
    name, score = item if isinstance(item, Sequence) and len(item) == 2 else (item, np.nan)
    if isinstance(name, str) and isinstance(score, float):
        return name, score
    name = _text_id(name, f'the results of query "{query}"')
    try:
        return name, float(score)
    except (TypeError, ValueError):
        raise ValueError(
            f'Query "{query}" gives "{name}" the score {score!r:.60}: give a number.'
        ) from None


def _text_id(name: Any, where: str) -> str:
    """The id as text. Raises ValueError for what is neither text nor a whole number."""
    if isinstance(name, str):
        return name
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        raise ValueError(
            f"One id in {where} is {name!r:.60}: give text, a whole number or (id, score)."
        )
    return str(name)


def best_first(scores: Scores, depth: int, rows: Rows | None = None) -> tuple[Rows, Scores]:
    """The `depth` highest scores of each row, ties in the order of the rows they name.

    scores: float64 [q, c], NaN where there is no candidate.
    rows: int32 [q, c], what each score belongs to (default: its column); -1 where NaN.
    Returns (rows [q, d], scores [q, d]), padded with -1 and NaN; d = min(depth, c).
    A tie goes to the lower row, the earlier place in the corpus: renaming a document moves nothing.
    """
    if rows is None:
        rows = np.broadcast_to(np.arange(scores.shape[1], dtype=np.int32), scores.shape)
    depth = min(depth, scores.shape[1])
    lost = np.isnan(scores)
    keys = np.where(lost, np.inf, -scores)
    if depth < scores.shape[1]:
        keys, rows, scores = _candidates(keys, rows, scores, depth)
        lost = np.isnan(scores)
    order = np.lexsort((rows, keys, lost), axis=1)[:, :depth]
    top = np.take_along_axis(scores, order, axis=1)
    return np.where(np.isnan(top), -1, np.take_along_axis(rows, order, axis=1)).astype(
        np.int32
    ), top


def _candidates(
    keys: Scores, rows: Rows, scores: Scores, depth: int
) -> tuple[Scores, Rows, Scores]:
    """Cut each row down to what may stand in its first `depth` places, ties included."""
    edge = np.partition(keys, depth - 1, axis=1)[:, depth - 1 : depth]
    width = int((keys <= edge).sum(axis=1).max(initial=depth))
    if width >= keys.shape[1]:
        return keys, rows, scores
    kept = np.argsort(keys > edge, axis=1, kind="stable")[:, :width]
    return tuple(np.take_along_axis(table, kept, axis=1) for table in (keys, rows, scores))  # type: ignore[return-value]
