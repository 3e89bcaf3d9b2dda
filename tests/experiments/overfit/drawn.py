"""Trials with known truth for the tests of this folder."""

import numpy as np

from experiments.overfit.scores import TrialScores


def table(trials, n, *, gain=0.0, better=1, seed=0):
    """Scores [trials + 1, n] of 0, 1/2 and 1; row 0 is the baseline, row `better` gains `gain`."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(0, 1.5, n) + rng.normal(1.5, 0.6, (trials + 1, n))
    latent[better] += gain
    return (latent > 0) * 0.5 + (latent > 0.5) * 0.5


def trial_scores(trials, n, *, gain=0.0, seed=0, **options):
    """Both halves hold n queries."""
    scores = table(trials, 2 * n, gain=gain, seed=seed)
    names = ["baseline", *(f"trial {row}" for row in range(1, trials + 1))]
    return TrialScores(names, public=scores[:, :n], private=scores[:, n:], **options)
