"""Which trial would have been chosen on another draw of the split, and how would it have done?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_CELLS = 1 << 24
_DIGITS = 4  # the sums are float32


def place_of(trial: int, sums: NDArray[np.floating]) -> int:
    """How many trials stand before this one by their public sums [k]; the first of equals leads."""
    rounded = sums.round(_DIGITS)
    before = rounded > rounded[trial]
    before[:trial] |= rounded[:trial] == rounded[trial]
    return int(before.sum())


def standing(trial: int | None, gains: Values) -> tuple[int, int]:
    """The row of a trial, of the best for None, and its place by its sum over gains [k, n]."""
    sums = gains.sum(axis=1)
    row = int(at_place(sums[None], 0)[0]) if trial is None else trial
    return row, place_of(row, sums)


def at_place(sums: NDArray[np.floating], place: int) -> NDArray[np.intp]:
    """The trial at this place (0 = best) of each row of sums [r, k], the first of equals: int [r].

    `place_of` backwards.
    """
    rounded = sums.round(_DIGITS)
    if place == 0:
        return np.asarray(rounded.argmax(axis=1))
    rank = rounded.shape[1] - 1 - place
    there = np.partition(rounded, rank, axis=1)[:, rank, None]
    wanted = place - (rounded > there).sum(axis=1, keepdims=True)
    equal = rounded == there
    return np.asarray((equal & (equal.cumsum(axis=1) == wanted + 1)).argmax(axis=1))


def choose(gains: Values, halves: NDArray[np.bool_], place: int = 0) -> NDArray[np.intp]:
    """The trial at this place by its mean on each public half, 0 = the best: int [r].

    gains: [k, N] over the queries of both halves.  halves: bool [r, N], True = public.
    """
    return np.concatenate([at_place(sums, place) for sums in _sums(gains, halves)])


def half_means(
    values: Values, chosen: NDArray[np.intp], halves: NDArray[np.bool_]
) -> tuple[Values, Values]:
    """Each draw's chosen row of `values` [k, N], averaged over its public and its private half."""
    rows, place = np.unique(chosen, return_inverse=True)
    sums = np.concatenate([*_sums(values[rows], halves)])
    public = np.take_along_axis(sums, place.reshape(-1, 1), axis=1)[:, 0].astype(np.float64)
    n = int(halves[0].sum())
    private = values.sum(axis=1)[chosen] - public
    return public / n, private / (values.shape[1] - n)


def _sums(values: Values, halves: NDArray[np.bool_]) -> Iterator[NDArray[np.float32]]:
    """The public sums of all rows, a batch of draws at a time: [b, k]."""
    table = values.T.astype(np.float32)
    step = max(1, _CELLS // max(table.shape))
    for start in range(0, len(halves), step):
        yield halves[start : start + step].astype(np.float32) @ table
