"""What the ledger adds to the trials of a report: all that was tried on its questions before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.seen_scores import SeenScores, seen_scores

if TYPE_CHECKING:
    from experiments.ledger import Ledger
    from experiments.overfit_report.gathered import Gathered

Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Remembered:
    """Earlier trials on the same questions that no gathered trial equals.

    public, private: [k, n] and [k, m], of trials scored on every public question that all gathered
        ones have; private rows are NaN throughout where not all of them were shown.
    partly: [j, n + m], of trials that were scored on some of these questions alone, as under
        another split; NaN elsewhere.
    untold: how many were scored on some public, and on some private, ones by other metrics alone.
    failed: how many on this dataset have no score at all.
    """

    public: Rows
    private: Rows
    partly: Rows
    untold: tuple[int, int] = (0, 0)
    failed: int = 0

    @property
    def count(self) -> int:
        """How many earlier trials could have been chosen."""
        return len(self.public) + len(self.partly) + max(self.untold)


def remembered(gathered: Gathered, ledger: Ledger | None) -> Remembered:
    """Read the ledger; equal rows count once. ledger: None remembers nothing."""
    n, ids = len(gathered.public_ids), (*gathered.public_ids, *gathered.private_ids)
    if ledger is None or gathered.dataset is None:
        return Remembered(gathered.public[:0], gathered.private[:0], np.empty((0, len(ids))))
    seen = seen_scores(ledger, gathered.dataset, gathered.metric, ids)
    own = np.concatenate([gathered.public, gathered.private], axis=1).astype(np.float32)
    whole, partly = _sorted_out(seen, own, n)
    return Remembered(
        public=whole[:, :n].astype(np.float64),
        private=whole[:, n:].astype(np.float64),
        partly=partly.astype(np.float64),
        untold=(_some(seen.by_others[:, :n]), _some(seen.by_others[:, n:])),
        failed=seen.failed,
    )


def _sorted_out(
    seen: SeenScores, own: NDArray[np.float32], n: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The new trials that are known on the whole public half, and those known in part."""
    scores = seen.scores
    complete = [
        ~np.isnan(scores[:, half][:, _shared(own[:, half])]).any(axis=1)
        for half in (slice(None, n), slice(n, None))
    ]
    blank = np.isnan(scores[:, n:]).all(axis=1)
    whole = complete[0] & (complete[1] | blank)
    fresh = _fresh(scores[whole], own)
    return fresh, _fresh(scores[~whole], np.concatenate([own, fresh]))


def _shared(own: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The questions of a half that every gathered trial which was shown there has a score of."""
    shown = own[~np.isnan(own).all(axis=1)]
    return np.asarray(~np.isnan(shown).any(axis=0))


def _fresh(rows: NDArray[np.float32], known: NDArray[np.float32]) -> NDArray[np.float32]:
    """Those rows that no known one, nor one before, agrees with wherever they have a score."""
    found: list[NDArray[np.float32]] = []
    gaps = np.isnan(rows)
    order = np.argsort(gaps.sum(axis=1), kind="stable")  # the fuller one of two alike stays
    masks: dict[bytes, set[bytes]] = {}
    for place in order:
        there = ~gaps[place]
        mask = there.tobytes()
        if mask not in masks:
            masks[mask] = {row[there].tobytes() for row in [*known, *found]}
        mark = rows[place][there].tobytes()
        if mark not in masks[mask]:
            found.append(rows[place])
            for other, marks in masks.items():
                marks.add(rows[place][np.frombuffer(other, dtype=np.bool_)].tobytes())
    return np.array(found, dtype=np.float32).reshape(len(found), rows.shape[1])


def _some(seen: NDArray[np.bool_]) -> int:
    return int(seen.any(axis=1).sum())
