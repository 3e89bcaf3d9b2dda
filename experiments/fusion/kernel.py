"""Thousands of weightings of the same parts, scored without making a single ranking.

A metric reads the places of the relevant documents alone. The place of one is 1 + the number of
documents above it, and a passage that is no better than it in any part can never be one of them,
whatever the weights: it is left out before the first weighting. So is one that is no better than
`depth` others, where metrics read so few places. Every sum is computed as `Hybrid`
computes it, term by term in the order of the names, so the places are exactly those of its ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from experiments.fusion.contenders import contending, rivals
from experiments.metrics.relevance import NO_RESULT, UNJUDGED, Hits, Labels, Relevance

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

LARGEST_RATIO = 1e6
"""Weights above 0 may differ by this factor: beyond it, rounding could undo a clear advantage."""

_WEIGHTINGS = 512
_THREADS = 2
_LOG_RATIO = np.log(LARGEST_RATIO)


@dataclass(frozen=True, slots=True, eq=False)
class FusionKernel:
    """The places of the relevant documents of q queries under any weights of k parts.

    Pairs (query, relevant document that some part returned): query, grade [p].
    own: [k, o], own_column: [o], the chunks of the pairs' documents, pair by pair from own_start.
    rivals: [k, r], rival_column: [r], the chunks that may stand above them, from rival_start.
    documents: for each pair the places where its rivals' next document begins, None where each
        document has one chunk. Starts are [p + 1].
    empty: bool [q], queries without a result.  labels: of the q queries.  depth: places kept.
    """

    query: Ints
    grade: Ints
    own: Floats
    own_column: Ints
    own_start: Ints
    rivals: Floats
    rival_column: Ints
    rival_start: Ints
    documents: Sequence[Ints | None]
    empty: NDArray[np.bool_]
    labels: Labels
    depth: int

    @classmethod
    def of(
        cls, terms: Floats, documents: NDArray[np.int32], labels: Labels, depth: int
    ) -> FusionKernel:
        """Prepare the search.

        terms: [k, q, c], what each part contributes to each candidate before its weight.
        documents: [q, c], the document of each candidate, candidates in corpus order; -1 = none.
        labels: of these queries over the documents.
        """
        grades = labels.grades(documents)
        contends = contending(terms, documents, depth)
        listed = np.sort(np.where(contends & (grades > 0), documents, -1), axis=1)
        first = listed >= 0
        first[:, 1:] &= listed[:, 1:] != listed[:, :-1]
        query = np.nonzero(first)[0]
        mine = contends[query] & (documents[query] == listed[first][:, None])
        own_pair, own_column = np.nonzero(mine)
        pairs = np.arange(len(query) + 1)
        own_start = np.searchsorted(own_pair, pairs)
        kept = contends[query] & rivals(terms, documents, query, mine, own_pair, own_column)
        pair, column, starts = _by_document(kept, documents[query])
        return cls(
            query=query,
            grade=grades[query, own_column[own_start[:-1]]].astype(np.intp),
            own=terms[:, query[own_pair], own_column],
            own_column=own_column,
            own_start=own_start,
            rivals=terms[:, query[pair], column],
            rival_column=column,
            rival_start=np.searchsorted(pair, pairs),
            documents=starts,
            empty=np.asarray((documents < 0).all(axis=1)),
            labels=labels,
            depth=depth,
        )

    def without(self, blocked: NDArray[np.bool_]) -> FusionKernel:
        """The same for rankings whose blocked queries ([q]) get no result."""
        return replace(self, empty=self.empty | blocked)

    def relevance(self, weights: Floats, rel_level: int = 1) -> Iterator[Relevance]:
        """The relevance [w', q] of the weightings [w, k], block by block, in their order.

        Of the grades it knows only whether a query has a result, so `judged` cannot be read.
        Raises ValueError for a weight of 0 or less and for weights that differ too much.
        """
        if not (weights > 0).all() or (np.ptp(np.log(weights), axis=1) > _LOG_RATIO).any():
            raise ValueError(
                f"Weights of one fusion must be above 0 and differ by a factor of at most "
                f"{LARGEST_RATIO:g}: leave out a part that counts for less."
            )
        n_relevant = self.labels.ideal.graded(rel_level).total()
        silent = np.where(self.empty, NO_RESULT, UNJUDGED)[:, None]
        for start in range(0, len(weights), _WEIGHTINGS):
            block = np.ascontiguousarray(weights[start : start + _WEIGHTINGS].T)
            graded = self._hits(self.places(block))
            grades = np.broadcast_to(silent, (block.shape[1], *silent.shape))
            relevant = graded.graded(rel_level)
            yield Relevance(grades, graded, relevant, self.labels.ideal, n_relevant)

    def places(self, weights: Floats) -> Ints:
        """The place of each pair's document, 1 = best, under the weightings [k, w]: [p, w]."""
        places = np.ones((len(self.query), weights.shape[1]), dtype=np.intp)
        # Long array operations let other threads run: two of them keep two cores busy.
        with ThreadPoolExecutor(_THREADS) as pool:
            for done in [
                pool.submit(self._place, range(first, len(places), _THREADS), weights, places)
                for first in range(_THREADS)
            ]:
                done.result()
        return places

    def _place(self, pairs: range, weights: Floats, places: Ints) -> None:
        """Add to the places of some pairs the number of documents above theirs."""
        sizes = np.diff(self.rival_start)[pairs.start :: pairs.step]
        room = np.empty((2, int(sizes.max(initial=0)), weights.shape[1]))
        for pair in pairs:
            above = self._above(pair, weights, room)
            places[pair] += np.add.reduce(above.view(np.uint8), axis=0, dtype=np.intp)

    def _above(self, pair: int, weights: Floats, room: Floats) -> NDArray[np.bool_]:
        """Whether each rival document stands above the pair's, bool [d, w]."""
        mine = slice(self.own_start[pair], self.own_start[pair + 1])
        theirs = slice(self.rival_start[pair], self.rival_start[pair + 1])
        own = _weighted(self.own[:, mine], weights)
        sums = _weighted(self.rivals[:, theirs], weights, room)
        best, column = own.max(axis=0), self.own_column[mine][own.argmax(axis=0)]
        starts, columns = self.documents[pair], self.rival_column[theirs]
        if starts is None and len(own) == 1:
            # A tie goes to the earlier place in the corpus, and rivals stand in its order.
            earlier = int(np.searchsorted(columns, column[0]))
            above = np.empty(sums.shape, dtype=bool)
            np.greater_equal(sums[:earlier], best, out=above[:earlier])
            np.greater(sums[earlier:], best, out=above[earlier:])
            return above
        above = (sums > best) | ((sums == best) & (columns[:, None] < column))
        return above if starts is None else np.logical_or.reduceat(above, starts, axis=0)

    def _hits(self, places: Ints) -> Hits:
        """The hits of rankings [w, q] of `depth` places."""
        found = (places <= self.depth) & ~self.empty[self.query][:, None]
        pair, weighting = np.nonzero(found)
        n_queries, levels = len(self.empty), int(self.grade.max(initial=0)) + 1
        cell = weighting * n_queries + self.query[pair]
        # One key holds all three: sorting it sorts by ranking, then by place.
        key = np.sort((cell * (self.depth + 1) + places[found]) * levels + self.grade[pair])
        key, grade = np.divmod(key, levels)
        row, rank = np.divmod(key, self.depth + 1)
        return Hits.at(row, rank, grade, (places.shape[1], n_queries))


def _by_document(
    kept: NDArray[np.bool_], documents: NDArray[np.int32]
) -> tuple[Ints, Ints, list[Ints | None]]:
    """(pair, column) of what is kept [p, c], and where each pair's next document begins.

    In the order of the corpus; by document where one has several chunks.
    """
    pair, column = np.nonzero(kept)
    bounds = np.searchsorted(pair, np.arange(len(kept) + 1))
    ordered = np.sort(documents, axis=1)
    if not ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
        return pair, column, [None] * len(kept)
    owner = documents[pair, column]
    order = np.lexsort((column, owner, pair))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (pair[order][1:] != pair[order][:-1]) | (owner[order][1:] != owner[order][:-1])
    several = np.bincount(pair[order][~new], minlength=len(kept)) > 0
    order = np.lexsort((column, np.where(several[pair], owner, 0), pair))
    starts = [
        np.flatnonzero(new[bounds[row] : bounds[row + 1]]) if several[row] else None
        for row in range(len(kept))
    ]
    return pair[order], column[order], starts


def _weighted(terms: Floats, weights: Floats, room: Floats | None = None) -> Floats:
    """The sums [n, w] of terms [k, n] under weights [k, w], added in the order of the parts.

    room: [2, m, w], m >= n, where they are computed: new memory costs more than the sums.
    """
    shape = terms.shape[1], weights.shape[1]
    total: Floats
    total, product = np.empty((2, *shape)) if room is None else room[:, : shape[0]]
    np.multiply(terms[0][:, None], weights[0], out=total)
    for part, weight in zip(terms[1:], weights[1:], strict=True):
        np.multiply(part[:, None], weight, out=product)
        np.add(total, product, out=total)
    return total
