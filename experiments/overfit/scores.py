"""Every trial's per-query scores on both halves of a split, and its gains over a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.overfit.family import Beside
from experiments.overfit.redraws import Layout

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TrialScores:
    """All trials that could have been chosen, the baseline among them.

    names: one a trial, length k.
    public: scores [k, n], a row a trial (as `Ledger.scores` gives them), NaN = not scored.
    private: scores [k, m] over other queries, or None while the split is sealed. A row that is NaN
        throughout is a trial whose private score nobody has seen: after `open_private` all rows
        but the baseline's and the opened one's may be so.
    baseline: the row that the others are held against.
    layout: strata and groups of the n + m queries, public ones first; None: each stands alone.
    public_beside, private_beside: scores [j, n] and [j, m] of trials that are known on some of the
        queries alone, as those of another split, NaN elsewhere.  untold: how many more were scored
        on public, and on private, queries in a way that is not known. Both count in corrected
        p-values and in nothing else.
    """

    names: Sequence[str]
    _: KW_ONLY
    public: NDArray[np.floating]
    private: NDArray[np.floating] | None = None
    baseline: int = 0
    layout: Layout | None = None
    higher_is_better: bool = True
    public_beside: NDArray[np.floating] | None = None
    private_beside: NDArray[np.floating] | None = None
    untold: tuple[int, int] = (0, 0)

    def gains(self) -> Gains:
        """How much better than the baseline each other trial is, on the queries all have scored.

        Raises ValueError for shapes that do not match, one trial alone, or no query left.
        """
        self._check()
        public = _complete(self.public)
        others = np.delete(np.arange(len(self.names)), self.baseline)
        private, kept = None, np.zeros(0, dtype=bool)
        beside = [self._beside(self.public, self.public_beside, public, self.untold[0])]
        if self.private is not None:
            kept = _complete(self.private[~np.isnan(self.private).all(axis=1)])
            private = self._against(self.private[:, kept])[others]
            beside.append(self._beside(self.private, self.private_beside, kept, self.untold[1]))
        layout = self.layout or Layout()
        return Gains(
            names=tuple(self.names[int(row)] for row in others),
            rows=others,
            public=self._against(self.public[:, public])[others],
            private=private,
            layout=layout.of(np.concatenate([public, kept])),
            beside=tuple(beside),
        )

    def means(self, trial: int) -> tuple[float, float | None]:
        """The public and the private mean score of a row, over the queries that `gains` uses."""
        self._check()
        public = self.public[trial, _complete(self.public)]
        if self.private is None or np.isnan(self.private[trial]).all():
            return float(public.mean()), None
        kept = _complete(self.private[~np.isnan(self.private).all(axis=1)])
        return float(public.mean()), float(self.private[trial, kept].mean())

    def _beside(
        self,
        own: NDArray[np.floating],
        others: NDArray[np.floating] | None,
        kept: NDArray[np.bool_],
        untold: int,
    ) -> Beside:
        if others is None:
            return Beside(np.empty((0, int(kept.sum()))), untold=untold)
        gains = self._against(np.concatenate([own, others])[:, kept])[len(own) :]
        known = ~np.isnan(gains)
        return Beside(np.where(known, gains, 0.0)[known.any(axis=1)], untold=untold)

    def _against(self, scores: NDArray[np.floating]) -> Values:
        wide = np.asarray(scores, dtype=np.float64)
        differences = wide - wide[self.baseline]
        differences = np.where(np.abs(differences) <= _ROUNDING, 0.0, differences)
        return differences if self.higher_is_better else -differences

    def _check(self) -> None:
        trials = len(self.names)
        for half, scores in (("public", self.public), ("private", self.private)):
            if scores is not None and (scores.ndim != 2 or len(scores) != trials):
                raise ValueError(
                    f"The {half} scores have the shape {scores.shape}: "
                    f"give one row for each of the {trials} trials."
                )
        if trials < 2 or not 0 <= self.baseline < trials:
            raise ValueError(
                f"{trials} in all and the baseline in row {self.baseline}: there is nothing to "
                "compare, give the baseline and at least one other trial."
            )
        if self.private is not None and np.isnan(self.private[self.baseline]).all():
            raise ValueError(
                f"The baseline {self.names[self.baseline]} has no private scores: open them for "
                f"the baseline too."
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gains:
    """Per-query gains over the baseline: positive is better, whatever the metric's direction.

    names, rows: the k - 1 other trials and their rows in `TrialScores`.
    public: float64 [k - 1, n].  private: [k - 1, m] or None; NaN rows were never shown.
    layout: of the n + m queries, public ones first.
    beside: the trials that count beside these in public and, where there is one, in private.
    """

    names: tuple[str, ...]
    rows: NDArray[np.intp]
    public: Values
    private: Values | None
    layout: Layout
    beside: tuple[Beside, ...]

    @property
    def winner(self) -> int:
        """The place of the best public mean, the first of equals."""
        return int(self.public.mean(axis=1).round(_DIGITS).argmax())

    @property
    def runner_up(self) -> int | None:
        """The place of the second best public mean; None with one trial."""
        if len(self.names) < 2:
            return None
        means = self.public.mean(axis=1).round(_DIGITS)
        means[self.winner] = -np.inf
        return int(means.argmax())

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Which trials have private scores: bool [k - 1]."""
        if self.private is None:
            return np.zeros(len(self.names), dtype=bool)
        return np.asarray(~np.isnan(self.private).any(axis=1))


_ROUNDING = 1e-6  # the ledger keeps float32
_DIGITS = 9


def _complete(scores: NDArray[np.floating]) -> NDArray[np.bool_]:
    kept: NDArray[np.bool_] = ~np.isnan(scores).any(axis=0)
    if not kept.any():
        raise ValueError(
            "There is no query that all of these trials have scored: leave out trials on other "
            "queries or with another metric."
        )
    return kept
