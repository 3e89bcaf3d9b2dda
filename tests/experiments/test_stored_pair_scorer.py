"""A pair is scored once, whatever run asks for it, and what is kept is what was scored."""

import time

import numpy as np
import pytest

from experiments.identity import describe
from experiments.model_usage import UsageMeter
from experiments.store import NoStore, Store
from experiments.stored_pair_scorer import StoredPairScorer
from postprocessors.cross_encoder import CrossEncoder
from postprocessors.proximity import ProximityScorer


class Counting:
    """Scores by length, counts the pairs, and fails at the one it is told to."""

    labels = frozenset({"fails_at"})

    def __init__(self, weight=1.0, fails_at=None):
        self.weight, self.fails_at = weight, fails_at
        self.asked = []

    def score_pairs(self, queries, texts):
        if self.fails_at in texts:
            raise RuntimeError(self.fails_at)
        self.asked += zip(queries, texts, strict=True)
        return np.array([self.weight * len(text) + 0.1 for text in texts])


PAIRS = (["q", "q", "p", "q"], ["a", "bb", "a", "a"])


def test_a_second_run_asks_nothing_and_gives_the_same_bits(tmp_path):
    first, second = Counting(), Counting()
    scores = StoredPairScorer(first, store=Store(tmp_path)).score_pairs(*PAIRS)
    again = StoredPairScorer(second, store=Store(tmp_path)).score_pairs(*PAIRS)
    assert first.asked == [("q", "a"), ("q", "bb"), ("p", "a")]
    assert second.asked == []
    np.testing.assert_array_equal(again, scores)
    assert scores.tolist() == [1.1, 2.1, 1.1, 1.1]


def test_what_is_read_says_what_it_took(tmp_path):
    class Slow(Counting):
        def score_pairs(self, queries, texts):
            time.sleep(0.05)
            return super().score_pairs(queries, texts)

    first = StoredPairScorer(Slow(), store=Store(tmp_path))
    first.score_pairs(*PAIRS)
    assert first.saved == 0
    again = StoredPairScorer(Slow(), store=Store(tmp_path))
    meter = UsageMeter({"cross_encoder": CrossEncoder(scorer=again)})
    again.score_pairs(["q", "new"], ["bb", "a"])
    assert 0.05 / 3 <= again.saved < 0.05
    assert meter.saved() == again.saved


def test_other_parameters_are_another_scorer(tmp_path):
    StoredPairScorer(Counting(), store=Store(tmp_path)).score_pairs(*PAIRS)
    other = Counting(weight=2.0)
    assert StoredPairScorer(other, store=Store(tmp_path)).score_pairs(*PAIRS)[0] == 2.1
    assert len(other.asked) == 3


def test_a_killed_run_keeps_the_blocks_it_finished(tmp_path):
    broken = Counting(fails_at="d")
    texts, store = ["a", "b", "c", "d"], Store(tmp_path)
    with pytest.raises(RuntimeError):
        StoredPairScorer(broken, store=store, block=2).score_pairs(["q"] * 4, texts)
    rest = Counting()
    StoredPairScorer(rest, store=store, block=2).score_pairs(["q"] * 4, texts)
    assert [text for _, text in rest.asked] == ["c", "d"]


def test_no_two_pairs_are_taken_for_each_other():
    scorer = StoredPairScorer(Counting(), store=NoStore())
    assert scorer.score_pairs(["a", "ab", "\ud800"], ["bc", "c", "x"]).tolist() == [2.1, 1.1, 1.1]


def test_no_pairs_are_no_scores(tmp_path):
    assert StoredPairScorer(Counting(), store=Store(tmp_path)).score_pairs([], []).shape == (0,)


def test_the_store_does_not_change_who_it_is(tmp_path):
    class Plain:
        def __init__(self, model):
            self.model = model

        def score_pairs(self, queries, texts): ...

    kept = StoredPairScorer(Plain("m"), store=Store(tmp_path), block=7)
    assert describe(kept) == describe(StoredPairScorer(Plain("m"), store=NoStore()))


def test_one_that_is_fitted_on_a_corpus_is_refused():
    with pytest.raises(ValueError, match="is fitted on a corpus"):
        StoredPairScorer(ProximityScorer(), store=NoStore())
