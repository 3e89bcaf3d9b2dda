"""Which gold passages were missed: a ranking and its labels as pairs of query and passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.metrics.spans import overlap
from experiments.schema import Span

if TYPE_CHECKING:
    from experiments.schema import Qrels
    from retrievers.ranking import Ranking

OF_DOCUMENTS = ("mean", "lowest", "highest")


@dataclass(frozen=True, slots=True, eq=False)
class GoldPassages:
    """Every pair of a query and one of its gold passages.

    query_ids: the queries that have a gold passage.
    queries: int [p], the row in `query_ids` of each pair.
    passages: int [p], its row among the n passages that a measure gives values to.
    missed: bool [p], not among the first k results of that query.
    documents: int [n], the document of each passage; passages of one document are alike.
    lost: gold passages that are in no chunk and so have no value; they are in no pair.
    """

    query_ids: tuple[str, ...]
    queries: NDArray[np.int64]
    passages: NDArray[np.int64]
    missed: NDArray[np.bool_]
    documents: NDArray[np.int64]
    lost: int = 0


def document_misses(
    ranking: Ranking,
    qrels: Qrels,
    documents: Sequence[str],
    *,
    k: int,
    rel_level: int = 1,
    queries: Iterable[str] | None = None,
) -> GoldPassages:
    """The pairs of a set that is labelled by documents: a passage is a document.

    ranking: of documents.  documents: those that have a chunk, in the order of the values (see
    `document_values`).  k: how many results count as found.
    queries: those to look at; default: all of the ranking. Leave out those that a gate blocked:
        what it costs is not the chunks' fault.
    """
    _check_depth(k)
    rows = {document: row for row, document in enumerate(documents)}
    found = ranking.head(k).by_query()
    pairs: list[tuple[str, int, bool]] = []
    lost = 0
    for query in dict.fromkeys(ranking.query_ids if queries is None else queries):
        gold = [name for name, grade in qrels.get(query, {}).items() if grade >= rel_level]
        lost += sum(name not in rows for name in gold)
        first = set(found.get(query, ()))
        pairs += [(query, rows[name], name not in first) for name in gold if name in rows]
    return _paired(pairs, np.arange(len(documents)), lost)


def span_misses(
    ranking: Ranking,
    spans: Mapping[str, Sequence[Span]],
    chunks: Mapping[str, Span],
    *,
    k: int,
    queries: Iterable[str] | None = None,
) -> GoldPassages:
    """The pairs of a set that is labelled by characters: a passage is a chunk.

    ranking: of chunks.  spans: query id -> its gold spans.  chunks: chunk id -> its characters, in
    the order of the values. A span stands for the chunk that holds most of it, the first of
    several. It is found as `span_recall@k` has it: the first k chunks hold half of it or more.
    """
    _check_depth(k)
    places = list(chunks.values())
    holders = _Holders(places)
    found = ranking.head(k).by_query()
    pairs: list[tuple[str, int, bool]] = []
    lost = 0
    for query in dict.fromkeys(ranking.query_ids if queries is None else queries):
        first = [chunks[name] for name in found.get(query, ())]
        for span in dict.fromkeys(spans.get(query, ())):
            row = holders.row(span)
            if row is None:
                lost += 1
            else:
                pairs.append((query, row, not overlap(first, [span]).spans_hit))
    numbers = {name: row for row, name in enumerate(dict.fromkeys(p.document for p in places))}
    return _paired(pairs, np.array([numbers[place.document] for place in places], int), lost)


def document_values(
    values: ArrayLike, owners: ArrayLike, count: int, *, of: str = "mean"
) -> NDArray[np.float64]:
    """One value a document from those of its chunks, [count]; NaN where none has a value.

    values: of the chunks, [n], NaN = none.  owners: int [n], the document of each chunk.
    of: "mean" takes no side. "lowest" and "highest" take the chunk that is worst, or best, in
        the measure's own direction; they grow with the number of chunks, so a relation may then
        be one with length.
    """
    if of not in OF_DOCUMENTS:
        raise ValueError(f'of is "{of}": choose {", ".join(OF_DOCUMENTS)}.')
    known = np.asarray(values, dtype=np.float64)
    rows = np.asarray(owners, dtype=np.int64)[~np.isnan(known)]
    known = known[~np.isnan(known)]
    if of == "mean":
        counts = np.bincount(rows, minlength=count)
        sums = np.bincount(rows, weights=known, minlength=count)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    result = np.full(count, np.nan)
    (np.fmin if of == "lowest" else np.fmax).at(result, rows, known)
    return result


class _Holders:
    """Finds the chunk that holds most of a span."""

    def __init__(self, places: Sequence[Span]) -> None:
        rows: dict[str, list[int]] = {}
        for row, place in enumerate(places):
            rows.setdefault(place.document, []).append(row)
        self.rows = {document: np.array(own) for document, own in rows.items()}
        self.edges = np.array([(place.start, place.end) for place in places]).reshape(-1, 2)

    def row(self, span: Span) -> int | None:
        rows = self.rows.get(span.document)
        if rows is None:
            return None
        start, end = self.edges[rows].T
        held = np.minimum(end, span.end) - np.maximum(start, span.start)
        best = int(held.argmax())
        return int(rows[best]) if held[best] > 0 else None


def _paired(
    pairs: Sequence[tuple[str, int, bool]], documents: NDArray[np.int64], lost: int
) -> GoldPassages:
    numbers = {name: row for row, name in enumerate(dict.fromkeys(query for query, _, _ in pairs))}
    return GoldPassages(
        query_ids=tuple(numbers),
        queries=np.array([numbers[query] for query, _, _ in pairs], dtype=np.int64),
        passages=np.array([row for _, row, _ in pairs], dtype=np.int64),
        missed=np.array([missed for _, _, missed in pairs], dtype=np.bool_),
        documents=np.asarray(documents, dtype=np.int64),
        lost=lost,
    )


def _check_depth(k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}: give the number of results that count as found, 1 or more.")
