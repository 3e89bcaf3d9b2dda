"""Which texts are nearly the same? MinHash proposes pairs, the exact Jaccard similarity decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HASHES, BITS = 128, 4096
"""What is kept of a text: so many minima, and parities to rule pairs out by."""

WINDOW = 100
"""How many neighbours a text is held against where more than that look alike."""

Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]

_MISSED = 1e-6
_BLOCK = 500_000
_TEXTS = 2_000
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIXER = np.uint64(0xBF58476D1CE4E5B9)


def similar_groups(
    texts: Sequence[str],
    threshold: float,
    *,
    shingle: int = 5,
    seed: int = 0,
    apart: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.bool_]] | None = None,
) -> NDArray[np.intp]:
    """The group of each text, [n]: the connected components of the pairs that are alike.

    texts: distinct ones.
    threshold: two texts are alike when the Jaccard similarity of their sets of runs of `shingle`
        letters is at least this, between 0.2 and 1; a shorter text is one run.
    apart: which of the pairs (left, right) must not be joined, whatever their texts.

    No pair is joined on a guess: each has been compared exactly. A pair just at the threshold is
    overlooked once in a million (b bands of r minima propose it with 1 - (1 - t^r)^b), and in
    crowds of over 100 texts that share a band each is held against 100 neighbours, so that time
    stays linear. The groups do not depend on the order of the texts.
    Source: Broder, SEQUENCES 1997; Indyk & Motwani, STOC 1998.
    Raises ValueError for an impossible threshold or shingle.
    """
    check_likeness(threshold, shingle)
    labels = np.arange(len(texts))
    sketches = _sketched(texts, shingle, seed)
    for left, right in _proposed(sketches.minima, _rows_per_band(threshold)):
        open_pairs = labels[left] != labels[right]
        open_pairs[open_pairs] = sketches.may_reach(threshold, left[open_pairs], right[open_pairs])
        if apart is not None:
            open_pairs[open_pairs] = ~apart(left[open_pairs], right[open_pairs])
        left, right = left[open_pairs], right[open_pairs]
        near = [
            jaccard(texts[one], texts[other], shingle) >= threshold
            for one, other in zip(left.tolist(), right.tolist(), strict=True)
        ]
        if any(near):
            labels = _joined(labels, left[near], right[near])
    return labels


def jaccard(one: str, other: str, shingle: int) -> float:
    """Shared runs of `shingle` letters ÷ all runs of either text, from 0 to 1."""
    left, right = _runs(one, shingle), _runs(other, shingle)
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def _runs(text: str, size: int) -> set[str]:
    return {text[start : start + size] for start in range(max(1, len(text) - size + 1))}


def check_likeness(threshold: float, shingle: int) -> None:
    """Raises ValueError for a threshold or a shingle that `similar_groups` does not take."""
    if not 0.2 <= threshold <= 1:
        raise ValueError(f"threshold is {threshold}: give a Jaccard similarity from 0.2 to 1.")
    if shingle < 1:
        raise ValueError(f"shingle is {shingle}: give a number of letters, 1 or more.")


class _Sketches(NamedTuple):
    """What is kept of n texts.

    minima: uint32 [n, HASHES], the smallest hash of the shingles under each hash function.
    parities: uint64 [n, BITS / 64], a bit for each residue of the shingles' hashes: whether an odd
        number of them has it.  sizes: [n], how many different shingles there are.
    """

    minima: NDArray[np.uint32]
    parities: NDArray[np.uint64]
    sizes: NDArray[np.int64]

    def may_reach(
        self, threshold: float, left: NDArray[np.intp], right: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Whether the Jaccard similarity of each pair can be the threshold; never wrong about no.

        Two texts differ in at least as many shingles as bits, and a similarity of t leaves at most
        (1 - t) / (1 + t) of both sizes unshared.
        Source: the bitmap filter of Sandes, Teodoro & Melo, Information Systems 2020.
        """
        apart = np.bitwise_count(self.parities[left] ^ self.parities[right]).sum(axis=1)
        unshared = (1 - threshold) / (1 + threshold)
        allowed = (self.sizes[left] + self.sizes[right]) * unshared + 1e-9
        return apart <= allowed  # type: ignore[no-any-return]


def _sketched(texts: Sequence[str], size: int, seed: int) -> _Sketches:
    factors = np.random.default_rng(seed).integers(0, 2**63, HASHES, dtype=np.uint64)
    minima = np.empty((len(texts), HASHES), dtype=np.uint32)
    parities = np.empty((len(texts), BITS // 64), dtype=np.uint64)
    sizes = np.empty(len(texts), dtype=np.int64)
    for block in _blocks(texts):
        hashes, starts = _shingles(texts[block], size)
        for place, factor in enumerate(2 * factors + 1):
            minima[block, place] = np.minimum.reduceat(hashes * factor, starts) >> np.uint64(32)
        parities[block], sizes[block] = _parities(hashes, starts)
    return _Sketches(minima, parities, sizes)


def _parities(
    hashes: NDArray[np.uint64], starts: NDArray[np.intp]
) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    count = len(starts)
    owners = np.repeat(np.arange(count), np.diff(starts, append=len(hashes)))
    order = np.lexsort((hashes, owners))
    hashes, owners = hashes[order], owners[order]
    first = np.ones(len(hashes), dtype=np.bool_)
    first[1:] = (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])
    hashes, owners = hashes[first], owners[first]
    bits = owners * BITS + (hashes % np.uint64(BITS)).astype(np.intp)
    odd = (np.bincount(bits, minlength=count * BITS) & 1).astype(np.uint8).reshape(count, BITS)
    return np.packbits(odd, axis=1).view(np.uint64), np.bincount(owners, minlength=count)


def _blocks(texts: Sequence[str]) -> Iterator[slice]:
    """Runs of at most so many letters and texts, so that memory does not grow with the corpus."""
    ends = np.cumsum([len(text) + _BLOCK // _TEXTS for text in texts], dtype=np.int64)
    cuts = np.flatnonzero(np.diff(ends // _BLOCK, prepend=0))
    bounds = [0, *cuts.tolist(), len(texts)]
    yield from (slice(a, b) for a, b in pairwise(bounds) if a < b)


def _shingles(texts: Sequence[str], size: int) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """The hash of every run of `size` letters, and where those of each text begin."""
    padded = [text.ljust(size) for text in texts]
    lengths = np.array([len(text) for text in padded])
    code_points = "".join(padded).encode("utf-32-le", "surrogatepass")
    letters = np.frombuffer(code_points, dtype=np.uint32)
    hashes = np.zeros(len(letters) - size + 1, dtype=np.uint64)
    for offset in range(size):
        hashes = hashes * _BASE + letters[offset : offset + len(hashes)]
    hashes = (hashes ^ (hashes >> np.uint64(32))) * _MIXER
    hashes ^= hashes >> np.uint64(29)
    within = np.ones(len(hashes), dtype=np.bool_)
    for back in range(1, size):
        within[np.cumsum(lengths)[:-1] - back] = False
    counts = lengths - size + 1
    return hashes[within], np.cumsum(counts) - counts


def _rows_per_band(threshold: float) -> int:
    """As many minima a band as still propose all but one in a million pairs at the threshold."""
    missed = [(1 - threshold**rows) ** (HASHES // rows) for rows in range(1, HASHES + 1)]
    return max(rows for rows, share in enumerate(missed, start=1) if share <= _MISSED)


def _proposed(signatures: NDArray[np.uint32], rows: int) -> Iterator[Pairs]:
    """Pairs that share a band, in batches; no pair stands twice in a batch."""
    keys = _band_keys(signatures, rows)
    content = _folded(signatures)
    for band, key in enumerate(keys):
        # Within a crowd by what the next band says, so that the likest stand side by side.
        order = np.lexsort((content, keys[(band + 1) % len(keys)], key))
        shared = key[order]
        for step in range(1, WINDOW + 1):
            places = np.flatnonzero(shared[step:] == shared[:-step])
            if not places.size:
                break
            yield order[places], order[places + step]


def _band_keys(signatures: NDArray[np.uint32], rows: int) -> list[NDArray[np.uint64]]:
    return [
        _folded(signatures[:, band * rows : (band + 1) * rows]) for band in range(HASHES // rows)
    ]


def _folded(columns: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """One hash a row."""
    key = np.zeros(len(columns), dtype=np.uint64)
    for column in columns.T:
        key = (key ^ column) * _MIXER
        key ^= key >> np.uint64(29)
    return key


def _joined(
    labels: NDArray[np.intp], left: NDArray[np.intp], right: NDArray[np.intp]
) -> NDArray[np.intp]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = (np.ones(len(left)), (labels[left], labels[right]))
    _, components = connected_components(coo_array(edges, shape=(len(labels),) * 2), directed=False)
    return components[labels].astype(np.intp)  # type: ignore[no-any-return]
