"""Which queries belong together, so that no answer leaks from one half of a split to the other?"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.schema import Dataset, Query, Span

LARGEST_SHARE = 0.10
NEARLY_EQUAL = 0.8

_BITS = 256

_SPACE = re.compile(r"\s+")


class Groups:
    """Disjoint sets of the rows 0 .. n-1; `labels` [n] names each row's set."""

    def __init__(self, labels: NDArray[np.intp]) -> None:
        self.labels = labels

    def join(self, rows: Sequence[int]) -> None:
        """Put these rows, and all that is with them, into one set."""
        for row in rows[1:]:
            old, new = self.labels[row], self.labels[rows[0]]
            if old != new:
                self.labels[self.labels == old] = new

    def members(self) -> list[list[int]]:
        """Every set, as ascending rows, in order of its first row."""
        groups: dict[int, list[int]] = defaultdict(list)
        for row, label in enumerate(self.labels.tolist()):
            groups[label].append(row)
        return [*groups.values()]


def kept_together(
    queries: Sequence[Query], dataset: Dataset
) -> tuple[list[list[int]], tuple[str, ...]]:
    """The groups of rows of `queries` that must stay on one side of a split, and what to know.

    Equal and nearly equal queries always. Queries that share a gold document (documents of the
    same text being one) or overlapping gold spans too, while the largest group that makes is under
    10 % of the queries; otherwise such queries are not grouped, for one side would be little more
    than that group, and a note says so.
    """
    alike = near_duplicates(queries)
    shared = Groups(alike.labels.copy())
    for rows in _sharing_gold(queries, dataset):
        shared.join(rows)
    sizes = sorted((len(rows) for rows in shared.members()), reverse=True)
    if not queries or sizes[0] < LARGEST_SHARE * len(queries) or sizes[0] == _largest(alike):
        return shared.members(), ()
    shown = ", ".join(str(size) for size in sizes[:3] if size > 1)
    return alike.members(), (
        f"Queries that share a gold document are split apart: kept together, the largest groups "
        f"would hold {shown} of {len(queries)} queries, and the limit is {LARGEST_SHARE:.0%}.",
    )


def normalised(query: Query) -> str:
    """All turns of a query as one text: NFKC, case folded, each run of white space one blank."""
    turns = [turn.text for turn in query.history] + [query.text]
    return _folded("\n".join(turns))


def _folded(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def near_duplicates(queries: Sequence[Query], threshold: float = NEARLY_EQUAL) -> Groups:
    """Groups of queries that are equal once normalised, or share most character trigrams.

    Two queries are near-duplicates when the Jaccard similarity of their sets of character trigrams
    is at least `threshold`; groups are the transitive closure. The search is exact: a bitmap of
    every set rules out nearly all pairs first, and only the rest is compared.
    """
    groups = Groups(np.arange(len(queries)))
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, query in enumerate(queries):
        rows_of[normalised(query)].append(row)
    for rows in rows_of.values():
        groups.join(rows)
    # In order of size, for a set can only be similar to one of nearly its own size.
    firsts = sorted(
        ((_trigrams(text), rows[0]) for text, rows in rows_of.items()),
        key=lambda pair: len(pair[0]),
    )
    _join_similar([grams for grams, _ in firsts], [row for _, row in firsts], groups, threshold)
    return groups


def _join_similar(
    grams: Sequence[frozenset[str]], rows: Sequence[int], groups: Groups, threshold: float
) -> None:
    """Join the rows of similar sets; `grams` in order of size."""
    bitmaps, at = _bitmaps(grams), np.array(rows, dtype=np.intp)
    sizes = np.array([len(members) for members in grams])
    ends = np.searchsorted(sizes, sizes / threshold, side="right")
    for place, row in enumerate(rows):
        later = slice(place + 1, ends[place])
        apart = np.bitwise_count(bitmaps[:, later] ^ bitmaps[:, place, None]).sum(axis=0)
        # Jaccard >= t leaves at most (1 - t) / (1 + t) of both sizes unshared.
        allowed = (sizes[later] + sizes[place]) * ((1 - threshold) / (1 + threshold)) + 1e-9
        near = place + 1 + np.flatnonzero(apart <= allowed)
        while (near := near[groups.labels[at[near]] != groups.labels[row]]).size:
            other, near = near[0], near[1:]
            if _jaccard(grams[place], grams[other]) >= threshold:
                groups.join((row, rows[other]))


def _bitmaps(grams: Sequence[frozenset[str]]) -> NDArray[np.uint64]:
    """256 bits a set, each the parity of the members it stands for: uint64 [4, sets].

    Two bitmaps differ in no more bits than their sets differ in members (the bitmap filter of
    Sandes, Teodoro & Melo, Information Systems 2020).
    """
    number: dict[str, int] = defaultdict(lambda: len(number) % _BITS)
    parities = np.zeros((len(grams), _BITS), dtype=np.uint8)
    for row, members in enumerate(grams):
        bits = [number[gram] for gram in members]
        parities[row] = np.bincount(bits, minlength=_BITS) & 1
    return np.ascontiguousarray(np.packbits(parities, axis=1).view(np.uint64).T)


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def _trigrams(text: str) -> frozenset[str]:
    padded = f" {text} "
    return frozenset(padded[start : start + 3] for start in range(max(len(padded) - 2, 1)))


def _sharing_gold(queries: Sequence[Query], dataset: Dataset) -> Iterable[list[int]]:
    """For every gold document, or stretch of overlapping gold spans, the rows that need it."""
    if dataset.spans is not None:
        return _sharing_spans(queries, dataset.spans)
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, query in enumerate(queries):
        for document, grade in (dataset.qrels or {}).get(query.id, {}).items():
            if grade > 0:
                rows_of[document].append(row)
    texts: dict[str, list[int]] = defaultdict(list)
    for one in dataset.corpus:
        if one.id in rows_of:
            texts[_folded(one.text)] += rows_of[one.id]
    return [*rows_of.values(), *texts.values()]


def _sharing_spans(
    queries: Sequence[Query], spans: Mapping[str, Sequence[Span]]
) -> Iterable[list[int]]:
    labelled = sorted(
        (span.document, span.start, span.end, row)
        for row, query in enumerate(queries)
        for span in spans.get(query.id, ())
    )
    sharing: list[list[int]] = []
    where, reached = "", 0
    for document, start, end, row in labelled:
        if sharing and document == where and start < reached:
            sharing[-1].append(row)
            reached = max(reached, end)
        else:
            sharing.append([row])
            where, reached = document, end
    return sharing


def _largest(groups: Groups) -> int:
    return max(len(rows) for rows in groups.members())
