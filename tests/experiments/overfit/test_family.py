"""Every trial that was scored on a half counts, also where little is known of it."""

import numpy as np
import pytest

from experiments.metrics.multiple_testing import max_t
from experiments.overfit.family import Beside, corrected
from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores
from experiments.overfit.verdict import judge
from tests.experiments.overfit.drawn import trial_scores

RULES = Rules(draws=999)


def gains(trials, n=60, seed=0):
    return np.random.default_rng(seed).choice([-0.5, 0.0, 0.5], p=[0.1, 0.7, 0.2], size=(trials, n))


def test_trials_beside_count_as_if_they_stood_among_the_others():
    table = gains(8)
    beside = corrected(table[:3], RULES, Beside(table[3:]))
    together = max_t(table, cautious=True, draws=999)
    assert beside.p.tolist() == together.p[:3].tolist()
    assert (beside.count, corrected(table, RULES).count) == (8, 8)


def test_a_trial_of_which_nothing_is_known_adds_the_own_p():
    table = gains(1)
    alone, among = corrected(table, RULES), corrected(table, RULES, Beside(table[:0], untold=4))
    assert among.p[0] == pytest.approx(5 * alone.p[0])
    assert among.count == 5
    assert among.critical > alone.critical
    assert corrected(-table, RULES, Beside(table[:0], untold=4)).p[0] == 1


def test_shown_trials_of_another_split_make_the_same_gain_less_certain():
    scores = trial_scores(1, 110, gain=0.45, seed=1)
    others = trial_scores(40, 110, seed=1)
    known = others.private[2:].copy()
    known[:, ::2] = np.nan
    wider = TrialScores(
        scores.names,
        public=scores.public,
        private=scores.private,
        private_beside=known,
        public_beside=np.full_like(known, np.nan),
    )
    narrow, wide = judge(scores.gains(), rules=RULES), judge(wider.gains(), rules=RULES)
    assert (narrow.evidence.family, wide.evidence.family) == (1, 40)
    assert wide.evidence.corrected_p > narrow.evidence.corrected_p
    opened = judge(wider.gains(), rules=Rules(look=1, draws=999)).evidence
    assert opened.family == 1
