"""The four words: what makes each, in which order, and what each tells the reader to do."""

import numpy as np
import pytest

from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores
from experiments.overfit.verdict import Word, judge
from tests.experiments.overfit.drawn import trial_scores

QUICK = Rules(draws=499)


def columns(public, private):
    """One trial over a baseline of 1/2 everywhere: (wins, losses, size) of each half of 110."""

    def half(wins, losses, size):
        column = np.full(110, 0.5)
        column[:wins] += size
        column[wins : wins + losses] -= size
        return np.vstack([np.full(110, 0.5), column])

    return TrialScores(["base", "trial"], public=half(*public), private=half(*private)).gains()


def test_a_steady_gain_is_real():
    verdict = judge(columns((20, 4, 0.5), (20, 4, 0.5)), rules=QUICK)
    assert verdict.word == Word.REAL
    assert "8 queries of 110 above" in verdict.sentence
    assert verdict.evidence.more_queries == 0


def test_one_query_is_unresolved_and_the_sentence_helps():
    verdict = judge(columns((3, 0, 0.5), (4, 2, 0.5)), rules=QUICK)
    assert verdict.word == Word.UNRESOLVED
    assert "1 query of 110 above the baseline in private" in verdict.sentence
    assert f"about {verdict.evidence.more_queries} more private ones" in verdict.sentence
    assert verdict.evidence.more_queries > 100


def test_a_gain_that_is_public_only_is_overfit():
    verdict = judge(columns((30, 2, 0.5), (8, 8, 0.5)), rules=QUICK)
    assert verdict.word == Word.OVERFIT
    assert verdict.evidence.drop.p <= 0.05
    assert "evaluation questions or labels" in verdict.sentence


def test_overfit_is_looked_for_before_real():
    verdict = judge(columns((60, 0, 0.5), (20, 2, 0.5)), rules=QUICK)
    assert verdict.evidence.corrected_p <= 0.05
    assert verdict.word == Word.OVERFIT


def test_a_gain_that_grows_in_private_is_not_overfit():
    def half(wins, size):
        column = np.full(110, 0.5)
        column[:wins] += size
        return np.vstack([np.full(110, 0.5), column])

    # Few large wins in public, many small ones in private: surprising, but nothing is lost.
    scores = TrialScores(["base", "trial"], public=half(8, 0.5), private=half(90, 0.1))
    verdict = judge(scores.gains(), rules=QUICK)
    assert verdict.evidence.drop.p <= 0.05
    assert verdict.evidence.drop.drop < 0
    assert verdict.word == Word.REAL


def test_many_equal_queries_are_noise():
    rng = np.random.default_rng(0)
    same = rng.choice([0.0, 0.5, 1.0], size=2_000)
    trial = same.copy()
    trial[::51] = 1 - trial[::51]
    table = np.vstack([same, trial])
    gains = TrialScores(["base", "trial"], public=table[:, ::2], private=table[:, 1::2]).gains()
    verdict = judge(gains, rules=QUICK)
    assert verdict.word == Word.NOISE
    assert "0.02 or more (20 queries)" in verdict.sentence


def test_two_equal_trials_on_few_queries_stay_unresolved():
    verdict = judge(columns((0, 0, 0.5), (0, 0, 0.5)), rules=QUICK)
    assert verdict.word == Word.UNRESOLVED
    assert "scores as the baseline does on 110 private queries" in verdict.sentence


def test_what_is_sealed_is_unresolved_and_says_how_to_open():
    scores = trial_scores(5, 80, gain=3.0)
    public = TrialScores(scores.names, public=scores.public)
    verdict = judge(public.gains(), rules=Rules(look=1, draws=499))
    assert verdict.word == Word.UNRESOLVED
    assert "+experiment=open_private" in verdict.sentence
    assert verdict.evidence.p is None
    assert verdict.evidence.drop is None
    lost = judge(public.gains(), trial=1, rules=QUICK)
    assert lost.evidence.private is None


def test_each_opening_must_be_more_certain_than_the_one_before():
    gains = columns((20, 8, 0.5), (18, 8, 0.5))  # p = 0.038 one-sided
    assert judge(gains, rules=QUICK).word == Word.REAL
    levels = [judge(gains, rules=Rules(look=look, draws=499)) for look in (1, 2)]
    assert [verdict.evidence.level for verdict in levels] == [0.025, 0.0125]
    assert {verdict.word for verdict in levels} == {Word.UNRESOLVED}


def test_every_shown_trial_counts_unless_the_half_was_sealed():
    gains = trial_scores(60, 110, gain=0.5, seed=1).gains()
    shown, opened = judge(gains, rules=QUICK), judge(gains, rules=Rules(look=1, draws=499))
    assert (shown.evidence.family, opened.evidence.family) == (60, 1)
    assert shown.evidence.corrected_p > opened.evidence.corrected_p


def test_after_an_opening_the_others_may_stay_sealed():
    scores = trial_scores(30, 110, gain=3.0, seed=2)
    private = np.full_like(scores.private, np.nan)
    private[:2] = scores.private[:2]
    opened = TrialScores(scores.names, public=scores.public, private=private).gains()
    verdict = judge(opened, rules=Rules(look=1, draws=499))
    assert opened.winner == 0
    assert verdict.word == Word.REAL
    assert verdict.evidence.drop.expected == pytest.approx(0, abs=0.02)


def test_a_gain_with_more_evidence_than_the_drop_is_real_and_the_drop_is_said():
    gains = columns((30, 4, 0.5), (18, 4, 0.5))
    verdict = judge(gains, rules=QUICK)
    assert verdict.evidence.corrected_p < verdict.evidence.drop.p <= 0.05
    assert verdict.word == Word.REAL
    assert "count on the private gain alone" in verdict.sentence
    assert "Yet" not in judge(columns((20, 4, 0.5), (20, 4, 0.5)), rules=QUICK).sentence


def test_the_second_best_was_chosen_for_its_place_too():
    gains = trial_scores(30, 110, seed=3).gains()
    named = judge(gains, trial=gains.runner_up, rules=QUICK)
    assert named.evidence.public == pytest.approx(gains.public[gains.runner_up].mean())
    best = judge(gains, rules=QUICK).evidence.drop
    assert 0.01 < named.evidence.drop.expected < best.expected


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Rules(alpha=0), "alpha is 0"),
        (Rules(look=0), "look is 0"),
        (Rules(equivalence=0), "margin"),
    ],
)
def test_impossible_rules_are_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        judge(columns((3, 0, 0.5), (4, 2, 0.5)), rules=rules)
