"""Which trial would have been chosen on another draw of the split, and how would it have done?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_CELLS = 1 << 24


def choose(gains: Values, halves: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The trial with the best mean on each public half, the first of equals: int [r].

    gains: [k, N] over the queries of both halves.  halves: bool [r, N], True = public.
    """
    return np.concatenate([sums.round(4).argmax(axis=1) for sums in _sums(gains, halves)])


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
