"""Which score should a leaderboard show, if its questions are like the local ones?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.result import Result
    from experiments.schema import Dataset

COVERAGE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPrediction:
    """Where the mean of a board lies for 95 of 100 submissions, in score from 0 to 1.

    mean: of the local scores.  n_local, n_board: how many queries each of the two means covers.
    """

    metric: str
    mean: float
    low: float
    high: float
    n_local: int
    n_board: int

    @property
    def sentence(self) -> str:
        """For people who send the submission."""
        return (
            f"A board of {self.n_board} questions like the {self.n_local} scored here should show "
            f"{self.metric} between {self.low:.4f} and {self.high:.4f} (95 %)."
        )


def predict(metric: str, scores: ArrayLike, n_board: int) -> BoardPrediction | None:
    """The prediction interval for the mean of n_board further queries, from local scores [n].

    mean -+ t(n - 1, 97.5 %) * s * sqrt(1 / n + 1 / n_board), cut at 0 and 1; NaN = not scored. It
    holds where both sets of questions are drawn alike. None with fewer than two scores. The
    interval for a future sample's mean: Hahn, Journal of the American Statistical Association 1969.
    Raises ValueError for a board without queries.
    """
    from scipy.special import stdtrit

    if n_board < 1:
        raise ValueError(f"The board has {n_board} queries: give how many its score covers.")
    known = np.asarray(scores, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return None
    mean, n = float(known.mean()), len(known)
    reach = float(stdtrit(n - 1, (1 + COVERAGE) / 2)) * float(known.std(ddof=1))
    reach *= math.sqrt(1 / n + 1 / n_board)
    return BoardPrediction(
        metric=metric,
        mean=mean,
        low=max(mean - reach, 0.0),
        high=min(mean + reach, 1.0),
        n_local=n,
        n_board=n_board,
    )


def of_result(result: Result, dataset: Dataset) -> BoardPrediction | None:
    """By the first metric, for a board that shows half of the queries; None without labels."""
    if result.scores is None:
        return None
    metric = result.scores.metrics[0]
    return predict(metric, result.scores.column(metric), max(len(dataset.queries) // 2, 1))


def submitted(path: Path | None, prediction: BoardPrediction | None) -> Mapping[str, Any]:
    """What summary.json says of a submission; the prediction only where there is one."""
    if path is None or prediction is None:
        return {"submission": str(path) if path else None}
    return {"submission": str(path), "predicted": asdict(prediction)}
