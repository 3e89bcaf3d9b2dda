"""Which queries belong together, so that no answer leaks from one half of a split to the other?"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from experiments.schema import Dataset, Query, Span

LARGEST_SHARE = 0.10
NEARLY_EQUAL = 0.8

_SPACE = re.compile(r"\s+")


class Groups:
    """Disjoint sets of the rows 0 .. n-1 (union-find with path halving; Tarjan, JACM 1975)."""

    def __init__(self, n: int) -> None:
        self._parent = [*range(n)]

    def copy(self) -> Groups:
        """The same groups, to be joined further."""
        twin = Groups(0)
        twin._parent = [*self._parent]
        return twin

    def root(self, row: int) -> int:
        """The row that stands for this row's group."""
        parent = self._parent
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    def join(self, rows: Iterable[int]) -> None:
        """Put these rows into one group."""
        first, *others = [self.root(row) for row in rows] or [0]
        for other in others:
            self._parent[self.root(other)] = first = self.root(first)

    def members(self) -> list[list[int]]:
        """Every group, as ascending rows, in order of its first row."""
        groups: dict[int, list[int]] = defaultdict(list)
        for row in range(len(self._parent)):
            groups[self.root(row)].append(row)
        return [*groups.values()]


def kept_together(
    queries: Sequence[Query], dataset: Dataset
) -> tuple[list[list[int]], tuple[str, ...]]:
    """The groups of rows of `queries` that must stay on one side of a split, and what to know.

    Equal and nearly equal queries always. Queries that share a gold document (or overlapping gold
    spans) too, while the largest group that makes is under 10 % of the queries; otherwise such
    queries are not grouped, for one side would be little more than that group, and a note says so.
    """
    alike = near_duplicates(queries)
    shared = alike.copy()
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
    folded = unicodedata.normalize("NFKC", "\n".join(turns)).casefold()
    return _SPACE.sub(" ", folded).strip()


def near_duplicates(queries: Sequence[Query], threshold: float = NEARLY_EQUAL) -> Groups:
    """Groups of queries that are equal once normalised, or share most character trigrams.

    Two queries are near-duplicates when the Jaccard similarity of their sets of character trigrams
    is at least `threshold`; groups are the transitive closure. Two sets can reach a similarity t
    only if they share one of their ceil((1 - t)·size) + 1 rarest members, so only such pairs are
    compared (prefix filtering: Chaudhuri, Ganti & Kaushik, ICDE 2006).
    """
    groups = Groups(len(queries))
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, query in enumerate(queries):
        rows_of[normalised(query)].append(row)
    for rows in rows_of.values():
        groups.join(rows)
    _join_similar({rows[0]: _trigrams(text) for text, rows in rows_of.items()}, groups, threshold)
    return groups


def _join_similar(grams: dict[int, frozenset[str]], groups: Groups, threshold: float) -> None:
    frequency = Counter(gram for members in grams.values() for gram in members)
    seen: dict[str, list[int]] = defaultdict(list)
    for row, members in grams.items():
        rarest = sorted(members, key=lambda gram: (frequency[gram], gram))
        prefix = rarest[: len(members) - math.ceil(threshold * len(members)) + 1]
        for other in {row for gram in prefix for row in seen[gram]}:
            if groups.root(other) != groups.root(row) and _jaccard(
                grams[other], members, threshold
            ):
                groups.join((other, row))
        for gram in prefix:
            seen[gram].append(row)


def _jaccard(left: frozenset[str], right: frozenset[str], threshold: float) -> bool:
    if min(len(left), len(right)) < threshold * max(len(left), len(right)):
        return False
    shared = len(left & right)
    return shared >= threshold * (len(left) + len(right) - shared)


def _trigrams(text: str) -> frozenset[str]:
    padded = f" {text} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2)) or frozenset(
        {padded}
    )


def _sharing_gold(queries: Sequence[Query], dataset: Dataset) -> Iterable[list[int]]:
    """For every gold document, or stretch of overlapping gold spans, the rows that need it."""
    if dataset.spans is not None:
        return _sharing_spans(queries, dataset.spans)
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, query in enumerate(queries):
        for document, grade in (dataset.qrels or {}).get(query.id, {}).items():
            if grade > 0:
                rows_of[document].append(row)
    return rows_of.values()


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
