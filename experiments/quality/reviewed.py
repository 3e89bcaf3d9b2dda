"""What a reader's labels say of the chunks, and whether the measures agree with the reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunk_quality.review_labels import load_labels
from chunk_quality.separation import separation

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

FEWEST = 10
"""A label is compared where as many chunks carry it, and as many labelled ones do not."""


@dataclass(frozen=True, slots=True)
class LabelShare:
    """One label.

    chunks: how many carry it.  share, low, high: of the labelled chunks, with the 95 % interval of
        Wilson (JASA 1927), for all chunks where the labelled ones are a random sample.
    medians: measure -> its median where the label stands; None where no such chunk has a value.
    higher: measure -> (value, low, high), in how many of all comparisons a chunk with the label has
        the higher value than a labelled one without it, ties half, with its 95 % interval (see
        `separation`). Left out are measures with fewer than `FEWEST` values on a side, and those
        that are the same for all.
    """

    label: str
    chunks: int
    share: float
    low: float
    high: float
    medians: Mapping[str, float | None]
    higher: Mapping[str, tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The labels of a review: each one's share, the most common first.

    source: the name of the file.  labelled: chunks that carry a label.  chunks: all there are.
    """

    source: str
    labelled: int
    chunks: int
    labels: Sequence[LabelShare]

    def frame(self) -> pd.DataFrame:
        """One row a label and measure."""
        import pandas as pd

        return pd.DataFrame(
            {
                "label": one.label,
                "chunks": one.chunks,
                "labelled": self.labelled,
                "share": one.share,
                "share_low": one.low,
                "share_high": one.high,
                "measure": name,
                "median": median,
                **dict(
                    zip(
                        ("higher", "higher_low", "higher_high"),
                        one.higher.get(name, (None,) * 3),
                        strict=True,
                    )
                ),
            }
            for one in self.labels
            for name, median in one.medians.items()
        )


def read_review(path: str | Path, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Chunk id -> its labels, for the chunks that carry one; "~" is the home folder.

    Raises ValueError: what `load_labels` raises; a file of the review page without a label.
    """
    path = Path(path).expanduser()
    said = {name: labels for name, labels in load_labels(path, chunk_ids).items() if labels}
    if not said:
        raise ValueError(
            f"{path} holds no label: label some chunks on the review page, save again."
        )
    return said


def reviewed(
    said: Mapping[str, Sequence[str]],
    source: str,
    chunk_ids: Sequence[str],
    columns: Mapping[str, NDArray[np.float64]],
) -> Reviewed:
    """What the labels say. said: chunk id -> labels.  columns: measure -> one value a chunk [n]."""
    labelled = np.array([name in said for name in chunk_ids], dtype=np.bool_)
    counts: dict[str, NDArray[np.bool_]] = {}
    for label in dict.fromkeys(label for labels in said.values() for label in labels):
        counts[label] = np.array([label in said.get(name, ()) for name in chunk_ids])
    shares = [_share(label, has, labelled, columns) for label, has in counts.items()]
    shares.sort(key=lambda one: (-one.chunks, one.label))
    return Reviewed(source, int(labelled.sum()), len(chunk_ids), shares)


def _share(
    label: str,
    has: NDArray[np.bool_],
    labelled: NDArray[np.bool_],
    columns: Mapping[str, NDArray[np.float64]],
) -> LabelShare:
    from scipy.stats import binomtest

    count, total = int(has.sum()), int(labelled.sum())
    ends = binomtest(count, total).proportion_ci(method="wilson")
    medians = {name: _median(values[has]) for name, values in columns.items()}
    compared = {name: _higher(values, has, labelled & ~has) for name, values in columns.items()}
    return LabelShare(
        label=label,
        chunks=count,
        share=count / total,
        low=float(ends.low),
        high=float(ends.high),
        medians=medians,
        higher={name: found for name, found in compared.items() if found is not None},
    )


def _median(values: NDArray[np.float64]) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None


def _higher(
    values: NDArray[np.float64], has: NDArray[np.bool_], lacks: NDArray[np.bool_]
) -> tuple[float, float, float] | None:
    with_it, without = (np.where(rows, values, np.nan) for rows in (has, lacks))
    found = separation(with_it, without, higher_is_coherent=True)
    if min(found.n_real, found.n_control) < FEWEST:
        return None
    if found.auc is None or found.low is None or found.high is None:
        return None
    return found.auc, found.low, found.high
