"""What the ledger adds to the trials of a report: all that was tried on its questions before."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.seen_scores import SeenScores, seen_scores

if TYPE_CHECKING:
    from experiments.ledger import Ledger
    from experiments.overfit_report.gathered import Gathered

Rows = NDArray[np.float64]
_ENOUGH = 10  # queries on which two trials score alike before they are taken for one


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


class _Known:
    """Rows by where they have scores, to ask whether a further one agrees with any of them."""

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self._rows: dict[bytes, list[NDArray[np.float32]]] = defaultdict(list)
        self._marks: dict[tuple[bytes, bytes], set[bytes]] = {}
        for row in rows:
            self.add(row)

    def add(self, row: NDArray[np.float32]) -> None:
        """Know it from now on."""
        pattern = (~np.isnan(row)).tobytes()
        self._rows[pattern].append(row)
        for (other, overlap), marks in self._marks.items():
            if other == pattern:
                marks.add(row[_unpacked(overlap)].tobytes())

    def agrees(self, row: NDArray[np.float32]) -> bool:
        """Whether a known row has its scores wherever both have one, on enough queries."""
        there = ~np.isnan(row)
        for pattern in self._rows:
            overlap = there & _unpacked(pattern)
            if overlap.sum() >= min(_ENOUGH, there.sum()):
                key = pattern, overlap.tobytes()
                if key not in self._marks:
                    self._marks[key] = {one[overlap].tobytes() for one in self._rows[pattern]}
                if row[overlap].tobytes() in self._marks[key]:
                    return True
        return False


def _fresh(rows: NDArray[np.float32], known: NDArray[np.float32]) -> NDArray[np.float32]:
    """Those rows that agree with no known one and with none before; the fuller of two stays."""
    kept: list[int] = []
    seen = _Known(known)
    for place in np.argsort(np.isnan(rows).sum(axis=1), kind="stable"):
        if not seen.agrees(rows[place]):
            kept.append(place)
            seen.add(rows[place])
    return rows[kept]


def _unpacked(pattern: bytes) -> NDArray[np.bool_]:
    return np.frombuffer(pattern, dtype=np.bool_)


def _some(seen: NDArray[np.bool_]) -> int:
    return int(seen.any(axis=1).sum())
