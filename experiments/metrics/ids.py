"""Where ids stand in a list of ids, many at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_WORTH_ARROW = 20_000


def places(wanted: Sequence[str], ids: Sequence[str]) -> NDArray[np.intp]:
    """The row of each wanted id among `ids`, all different; -1 where it is not there."""
    if len(wanted) >= _WORTH_ARROW:  # fewer are found sooner than Arrow is loaded
        found = _by_arrow(wanted, ids)
        if found is not None:
            return found
    rows = dict(zip(ids, range(len(ids)), strict=True))
    return np.fromiter((rows.get(one, -1) for one in wanted), np.intp, len(wanted))


def _by_arrow(wanted: Sequence[str], ids: Sequence[str]) -> NDArray[np.intp] | None:
    """The same, some five times as fast; None where an id is no text or no valid Unicode."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        looked_up, known = (pa.array(names) for names in (wanted, ids))
    except (UnicodeEncodeError, pa.ArrowException):
        return None
    if not looked_up.type == known.type == pa.string():
        return None
    rows = pc.index_in(looked_up, value_set=known)
    return np.asarray(pc.fill_null(rows, -1), dtype=np.intp)
