"""Which candidates of a fusion can matter at all, whatever the weights of its parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_CLEAR = 1e-7
_CELLS = 1 << 17
_FEW = 16
_NOTHING = -1e300


def contending(terms: Floats, documents: NDArray[np.int32], depth: int) -> NDArray[np.bool_]:
    """Which candidates some weights may bring among the first `depth` documents, bool [q, c].

    Out is one that chunks of `depth` other documents beat for good. The first of a few weightings
    are asked, not all: what stays in by that costs time alone.
    """
    contends = documents >= 0
    if depth > _FEW or documents.shape[1] <= depth:
        return contends
    queries = np.arange(len(documents))
    leaders = _leaders(np.where(contends, terms, _NOTHING), depth)
    beaten = np.zeros(documents.shape, dtype=np.intp)
    for place, column in enumerate(leaders.T):
        owner = documents[queries, column]
        fresh = (owner >= 0) & ~(
            documents[queries[:, None], leaders[:, :place]] == owner[:, None]
        ).any(axis=1)
        other = (documents != owner[:, None]) & fresh[:, None]
        beaten += other & _beats(terms[:, queries, column], column, terms)
    return contends & (beaten < depth)


def _leaders(terms: Floats, depth: int) -> Ints:
    """The columns of the first few candidates under a spread of weightings, [q, l]."""
    middle = terms.mean(axis=0)
    found = [
        np.argpartition(-sums, depth - 1, axis=1)[:, :depth]
        for sums in [middle, *((middle + part) / 2 for part in terms)]
    ]
    return np.concatenate(found, axis=1)


def _beats(ours: Floats, column: Ints, theirs: Floats) -> NDArray[np.bool_]:
    """Whether a candidate of each row stands above those of `theirs` under all weights, [n, c].

    It is nowhere worse, and either clearly better somewhere or earlier in the corpus.
    ours: [k, n], in the columns [n].  theirs: [k, n, c].
    """
    clear = _CLEAR * np.abs(theirs).max(axis=2, initial=0.0).sum(axis=0)
    never_worse = theirs[0] <= ours[0][:, None]
    better = column[:, None] < np.arange(theirs.shape[2])
    for own, other in zip(ours, theirs, strict=True):
        never_worse &= other <= own[:, None]
        better |= other < (own - clear)[:, None]
    return np.asarray(never_worse & better)


def rivals(
    terms: Floats,
    documents: NDArray[np.int32],
    query: Ints,
    mine: NDArray[np.bool_],
    own_pair: Ints,
    own_column: Ints,
) -> NDArray[np.bool_]:
    """Which candidates may stand above each pair's document under some weights, bool [p, c]."""
    beaten = np.zeros(mine.shape, dtype=bool)
    size = max(1, _CELLS // max(mine.shape[1], 1))
    for step in range(0, len(own_pair), size):
        pair, column = own_pair[step : step + size], own_column[step : step + size]
        ours = terms[:, query[pair], column]
        np.logical_or.at(beaten, pair, _beats(ours, column, terms[:, query[pair]]))
    return ~beaten & ~mine & (documents[query] >= 0)
