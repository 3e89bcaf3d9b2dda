"""All that a report says about one trial, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.metrics.significance import PairedDifference

if TYPE_CHECKING:
    from experiments.metrics.rank_agreement import RankAgreement
    from experiments.overfit.drop import Drop
    from experiments.overfit.optimism import Optimism
    from experiments.overfit.stability import Stability
    from experiments.overfit.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One trial (by default the public winner) against the baseline.

    trials: how many were tried beside the baseline.
    public, private: the gain over the baseline on each half, positive is better, with its 95 %
        interval, wins, losses and ties; private is None while sealed. `.mean * .n` is the gain in
        queries.
    public_means, private_means: mean scores of (trial, baseline).
    optimism: what choosing the best of the trials adds to the public gain.
    pbo: probability of backtest overfitting, 0.5 = choosing is noise; None with one trial.
    drop: the public gain less the private one.
    agreement: of the trials' order on both halves; None with fewer than three trials.
    stability: what other draws of the split would have said.
    """

    trial: str
    runner_up: str | None
    baseline: str
    trials: int
    public: PairedDifference
    private: PairedDifference | None
    public_means: tuple[float, float]
    private_means: tuple[float, float] | None
    optimism: Optimism
    pbo: float | None
    drop: Drop | None
    agreement: RankAgreement | None
    stability: Stability | None
    verdict: Verdict
