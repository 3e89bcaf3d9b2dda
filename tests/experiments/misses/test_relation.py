"""What is planted is found, what is not is not, and what cannot be asked is said."""

import numpy as np
import pytest

from experiments.metrics.multiple_testing import holm
from experiments.misses.relation import miss_relations
from experiments.misses.sentences import query_sentence, sentence
from tests.experiments.misses.worlds import gold_of, world


def relation(values, gold, **options):
    return miss_relations({"entropy": values}, gold, **options)["entropy"]


def test_a_small_case_by_hand():
    values = [5.0, 1.0, 3.0, 2.0, np.nan]
    gold = gold_of([0, 0, 1, 2, 2], [0, 1, 2, 3, 4], [1, 0, 1, 0, 1], range(5))
    found = relation(values, gold, draws=5_000)
    assert (found.missed, found.found, found.without_value) == (2, 2, 1)
    assert found.auc.value == 1.0
    # 2 of the 6 ways to give two of four values to the missed ones are as far from 0.5
    assert found.auc.p == pytest.approx(1 / 3, abs=0.03)
    assert found.auc.low is None
    assert found.share is None
    assert found.detectable is None
    assert not found.related
    assert "with so few of them no relation could have been found" in sentence(found)


def test_a_planted_relation_is_found_with_its_direction():
    values, gold, scores = world(1, effect=1.0)
    high = relation(values, gold, scores=scores)
    assert high.related
    assert high.end == "highest"
    assert high.auc.low > 0.5
    assert high.share.value > 0.15
    assert high.share.low < high.share.value < high.share.high
    assert high.per_query.value < 0
    assert high.per_query.p < 0.01
    assert "high values go with misses" in sentence(high)
    assert "queries have a lower ndcg@3 where" in query_sentence(high, "ndcg@3")
    low = relation(-values, gold, scores=scores)
    assert low.end == "lowest"
    assert low.auc.value == pytest.approx(1 - high.auc.value)
    assert low.share.value == pytest.approx(high.share.value)
    assert "low values go with misses" in sentence(low)
    np.testing.assert_allclose(
        [share for share, _, _ in low.deciles], [share for share, _, _ in high.deciles][::-1]
    )


def test_the_power_is_what_it_says_it_is():
    """An AUC of about `detectable` is found four times in five."""
    hits, smallest, true = [], [], []
    for seed in range(80):
        values, gold, _ = world(seed, effect=0.38)
        found = relation(values, gold, draws=199)
        hits.append(found.related)
        smallest.append(found.detectable)
        true.append(found.auc.value)
    assert np.mean(true) == pytest.approx(np.mean(smallest), abs=0.02)
    assert 0.65 < np.mean(hits) < 0.95


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"hard": 1.5},
        {"documents": 40, "per": 20, "alike": 0.7},
        {"documents": 5, "per": 200, "alike": 0.7},
    ],
)
def test_without_a_relation_one_in_twenty_is_found(shape):
    names = ("auc", "share", "per_query")
    found = []
    for seed in range(300):
        values, gold, scores = world(seed, effect=0.0, **shape)
        told = relation(values, gold, scores=scores, draws=199, seed=seed)
        found.append([getattr(told, name).p <= 0.05 for name in names])
    # 0.05 + 3 standard errors of 300 draws, and a little for documents that are alike
    assert (np.mean(found, axis=0) < 0.05 + 3 * 0.0126 + 0.01).all()


def test_holm_is_taken_over_the_measures():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]).tolist() == []
    values, gold, scores = world(2, effect=0.6)
    noise = np.random.default_rng(0).normal(size=(4, len(values)))
    measures = {"entropy": values, **{f"noise {row}": noise[row] for row in range(4)}}
    found = miss_relations(
        {**measures, "same": np.ones(len(values))}, gold, scores=scores, draws=500
    )
    told = found["entropy"]
    assert told.auc.corrected == pytest.approx(min(1.0, 5 * told.auc.p))
    assert {one.tests for one in found.values()} == {5}
    assert relation(values, gold).detectable < told.detectable


def test_the_same_seed_gives_the_same_numbers():
    values, gold, scores = world(3, effect=0.3)
    first, again = (relation(values, gold, scores=scores, draws=200) for _ in range(2))
    assert first == again
    other = relation(values, gold, scores=scores, draws=200, seed=1)
    assert other.auc.value == first.auc.value
    assert other.auc.low != first.auc.low


def test_few_long_documents_are_not_compared_with_each_other():
    """Of two documents one has all misses and the higher values: that is one piece of luck."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0, 1, 100), rng.normal(9, 1, 100)])
    documents = np.repeat([0, 1], 100)
    missed = rng.random(200) < np.where(documents, 0.8, 0.1)
    found = relation(values, gold_of(range(200), range(200), missed, documents))
    assert found.within
    assert not found.related
    assert "held against their document's mean" in sentence(found)


@pytest.mark.parametrize(
    ("values", "missed", "reason"),
    [
        ([1, 2, 3], [0, 0, 0], "none of the 3 gold passages was missed"),
        ([1, 2, 3], [1, 1, 1], "all of the 3 gold passages were missed"),
        ([2, 2, 2], [1, 0, 1], "all 3 gold passages have the same value"),
        ([np.nan] * 3, [1, 0, 1], "no gold passage has a value"),
    ],
)
def test_what_cannot_be_looked_at_is_said(values, missed, reason):
    gold = gold_of([0, 1, 2], [0, 1, 2], missed, range(3))
    found = relation(np.array(values, dtype=float), gold, scores=np.array([0.1, 0.5, np.nan]))
    assert found.skipped == reason
    assert reason in sentence(found)
    assert found.auc is None
    assert query_sentence(found) == ""
    assert not found.related
    assert found.detectable is None


def test_without_labels_there_is_nothing_to_look_at():
    found = relation(np.ones(4), gold_of([], [], [], range(4)), scores=[])
    assert found.skipped == "no query names a gold passage"


def test_scores_can_be_looked_at_where_nothing_was_missed():
    values = np.arange(30.0)
    gold = gold_of(range(30), range(30), [0] * 30, range(30))
    found = relation(values, gold, scores=values**2)
    assert found.skipped
    assert found.per_query.value == pytest.approx(1.0)
    assert "queries have a higher score" in query_sentence(found)
    flat = relation(values, gold, scores=np.ones(30))
    assert flat.per_query is None


def test_a_column_of_another_length_is_refused():
    gold = gold_of([0], [0], [1], range(3))
    with pytest.raises(ValueError, match=r"entropy has the shape \(2,\)"):
        relation([1.0, 2.0], gold)
    with pytest.raises(ValueError, match="scores has the shape"):
        relation([1.0, 2.0, 3.0], gold, scores=[1.0, 2.0])
