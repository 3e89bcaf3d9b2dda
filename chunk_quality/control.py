"""The control: chunks of the same lengths, made of sentences from anywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunk_quality.reading import Reading

CLEAR = 0.7
"""The AUC from which chunks are called well chunked, when the interval too lies above 0.5."""

FEWEST = 20
"""Chunks with a value below which nothing is said."""

_BAND = 32  # sentences of about one length that are dealt out among themselves
_ROUNDS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """A reading of the same chunks with other sentences.

    order: int [s], which sentence stands in each place: `vectors[order]` are the shuffled vectors.
    stayed: sentences that could not leave their document.
    """

    reading: Reading
    order: NDArray[np.int64]
    stayed: int


def shuffled(reading: Reading, seed: int = 0) -> Shuffled:
    """Deal the sentences out again, each to a place of about its own length in another document.

    A chunk keeps its number of sentences, and nearly its number of characters: sentences are
    dealt within bands of similar length.
    """
    documents = _document_numbers(reading)
    lengths = np.array([len(sentence) for sentence in reading.sentences], dtype=np.int64)
    random = np.random.default_rng(seed)
    by_length = np.lexsort((random.random(len(lengths)), lengths))
    order = np.arange(len(lengths))
    for begin in range(0, len(by_length), _BAND):
        band = by_length[begin : begin + _BAND]
        order[band] = random.permutation(band)
    order = _moved_away(order, documents, by_length, random)
    stayed = int((documents[order] == documents).sum())
    dealt = replace(
        reading,
        sentences=tuple(reading.sentences[row] for row in order.tolist()),
        terms=tuple(reading.terms[row] for row in order.tolist()),
        morphemes=reading.morphemes[order] if len(reading.morphemes) else reading.morphemes,
    )
    return Shuffled(dealt, order, stayed)


@dataclass(frozen=True, slots=True)
class Separation:
    """How well a measure tells real chunks from shuffled ones.

    auc: the chance that a real chunk looks more coherent than a shuffled one, ties half; 0.5 = no
        more coherent than shuffled sentences. low, high: its 95 % interval. None where fewer than
        two chunks have a value on both sides.
    n: chunks with a value, real and shuffled.  without: those without.
    """

    auc: float | None
    low: float | None
    high: float | None
    n: int
    without: int


def separation(
    real: ArrayLike, control: ArrayLike, *, coherent: str = "high", seed: int = 0
) -> Separation:
    """The AUC of real against shuffled values, [n] each, place by place of the same lengths.

    coherent: "high" where high values speak for a chunk, else "low". NaN = no value: a chunk
    counts where both have one. The interval is DeLong's (DeLong et al., Biometrics 1988) in its
    paired form: the two structural components of a chunk vary together.
    """
    signs = {"high": 1.0, "low": -1.0}
    if coherent not in signs:
        raise ValueError(f'coherent is "{coherent}": choose high or low.')
    one, other = np.asarray(real, dtype=np.float64), np.asarray(control, dtype=np.float64)
    known = np.isfinite(one) & np.isfinite(other)
    n = int(known.sum())
    if n < 2:
        return Separation(None, None, None, n, len(one) - n)
    ours, theirs = signs[coherent] * one[known], signs[coherent] * other[known]
    wins = _share_below(theirs, ours)
    losses = 1.0 - _share_below(ours, theirs)
    auc = float(wins.mean())
    error = float((wins + losses).std(ddof=1) / np.sqrt(n))
    low, high = max(0.0, auc - 1.96 * error), min(1.0, auc + 1.96 * error)
    return Separation(auc, low, high, n, len(one) - n)


def said(measure: str, found: Separation) -> str:
    """One sentence: well chunked, weakly above, no better than shuffled, or not to be told."""
    if found.auc is None or found.low is None or found.high is None or found.n < FEWEST:
        return (
            f"{measure}: {found.n} chunks have a value, too few to hold against shuffled ones "
            f"(at least {FEWEST} are needed)."
        )
    told = f"AUC {found.auc:.2f} [{found.low:.2f}, {found.high:.2f}] against shuffled sentences"
    left = f"; {found.without:,} chunks have no value" if found.without else ""
    if found.low > 0.5 and found.auc >= CLEAR:
        return f"{measure}: well chunked by this measure, {told}{left}."
    if found.low > 0.5:
        return f"{measure}: a little more coherent than chance, {told}{left}."
    if found.high < 0.5:
        return f"{measure}: less coherent than shuffled sentences, {told}{left}."
    return f"{measure}: no more coherent than shuffled sentences can be told, {told}{left}."


def _share_below(others: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value the share of the others that lie below it, ties half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return (below + upto) / (2 * len(others))


def _document_numbers(reading: Reading) -> NDArray[np.int64]:
    """The document of each sentence, as a number."""
    numbers: dict[str, int] = {}
    of_chunk = [numbers.setdefault(name, len(numbers)) for name in reading.documents]
    return np.array(of_chunk, dtype=np.int64)[reading.owners]


def _moved_away(
    order: NDArray[np.int64],
    documents: NDArray[np.int64],
    by_length: NDArray[np.int64],
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Swap what is still in its own document with a place of about its length, in wider circles."""
    place_of = np.empty_like(by_length)
    place_of[by_length] = np.arange(len(by_length))
    reach = _BAND
    for _ in range(_ROUNDS):
        home = np.flatnonzero(documents[order] == documents)
        if not home.size:
            break
        for place in home.tolist():
            step = int(random.integers(-reach, reach + 1))
            other = int(by_length[(place_of[place] + step) % len(by_length)])
            theirs, ours = documents[order[other]], documents[order[place]]
            if theirs != documents[place] and ours != documents[other]:
                order[place], order[other] = order[other], order[place]
        reach = min(2 * reach, len(by_length))
    return order
