"""The same split drawn again: which other halves could chance have made?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Layout:
    """What a split must keep to.

    strata: a label a query; both halves keep their number of each. None: one stratum.
    groups: a label a query; queries of one label stay on one side. None: each stands alone.
    """

    strata: Sequence[Hashable] | None = None
    groups: Sequence[Hashable] | None = None

    def of(self, kept: NDArray[np.bool_]) -> Layout:
        """The layout of some of the queries: `kept` is bool over all. Raises for another length."""

        def cut(labels: Sequence[Hashable] | None) -> Sequence[Hashable] | None:
            if labels is None:
                return None
            if len(labels) != len(kept):
                raise ValueError(
                    f"The layout has {len(labels)} labels for {len(kept)} queries: give one for "
                    f"each public query, then one for each private query."
                )
            return [label for label, stays in zip(labels, kept, strict=True) if stays]

        return Layout(cut(self.strata), cut(self.groups))

    def redraw(
        self, public: NDArray[np.bool_], draws: int = 200, *, seed: int = 0
    ) -> NDArray[np.bool_]:
        """Random public halves as bool [draws, N], from the one drawn (`public`, bool [N]).

        Groups that are alike (same size, same strata) swap sides at random, so the sizes of the
        halves, the strata in each and the groups are kept exactly, and each such half is equally
        likely. A group like no other, or whose like are all on its side, stays where it is, and so
        does a group that stands on both sides.
        """
        rng = np.random.default_rng(seed)
        drawn = np.repeat(public[None], draws, axis=0)
        for members in self._alike(public):
            groups, chosen = len(members), int(public[members[:, 0]].sum())
            if 0 < chosen < groups:
                order = rng.random((draws, groups), dtype=np.float32).argpartition(chosen, axis=1)
                drawn[:, members.ravel()] = False
                rows = members[order[:, :chosen]].reshape(draws, -1)
                np.put_along_axis(drawn, rows, True, axis=1)
        return drawn

    def _alike(self, public: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
        """Classes of groups that may swap: rows of queries, int [groups, size]."""
        if self.groups is None and self.strata is None:
            return [np.arange(len(public))[:, None]]
        rows_of: dict[Hashable, list[int]] = defaultdict(list)
        for row in range(len(public)):
            rows_of[row if self.groups is None else self.groups[row]].append(row)
        classes: dict[Hashable, list[list[int]]] = defaultdict(list)
        for rows in rows_of.values():
            if len({bool(public[row]) for row in rows}) == 1:
                strata = [] if self.strata is None else sorted(str(self.strata[r]) for r in rows)
                classes[(len(rows), *strata)].append(rows)
        return [np.array(groups) for groups in classes.values()]
