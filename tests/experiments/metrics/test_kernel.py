"""What holds for every ranking and every set of labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.metrics.measures import parse
from experiments.metrics.relevance import NO_RESULT, UNJUDGED, Labels

N, DEPTH = 12, 6
NAMES = ["map", "mrr", "ndcg", "map@3", "mrr@3", "ndcg@3", "recall@3", "precision@3", "hit_rate@3",
         "failure_rate@3", "1-recall@3", "judged@3", "map_comp@3", "mrr_comp@3"]  # fmt: skip
MEASURES = [parse(name) for name in NAMES]
IDS = tuple(f"d{number}" for number in range(N))

rankings = st.lists(
    st.lists(st.integers(0, N - 1), max_size=DEPTH, unique=True), min_size=1, max_size=4
)
label_sets = st.lists(
    st.dictionaries(st.sampled_from(IDS), st.integers(-1, 3), max_size=N), min_size=4, max_size=4
)
levels = st.integers(1, 2)
quick = settings(max_examples=100, deadline=None)


def padded(found, depth=DEPTH):
    nodes = np.full((len(found), depth), -1, dtype=np.int32)
    for row, results in enumerate(found):
        nodes[row, : len(results)] = results
    return nodes


def labels_of(graded, n, ids=IDS):
    queries = [f"q{row}" for row in range(n)]
    return Labels.of(dict(zip(queries, graded, strict=False)), queries, ids)


def scores_of(nodes, labels, level=1):
    relevance = labels.judge(nodes, level)
    return np.stack([measure.score(relevance) for measure in MEASURES], axis=-1)


@quick
@given(rankings, label_sets, levels)
def test_every_score_is_a_share_or_not_scored(found, graded, level):
    scores = scores_of(padded(found), labels_of(graded, len(found)), level)
    assert scores.shape == (len(found), len(MEASURES))
    assert ((scores >= 0) & (scores <= 1 + 1e-12) | np.isnan(scores)).all()


@quick
@given(st.dictionaries(st.sampled_from(IDS), st.integers(1, 3), min_size=1, max_size=DEPTH))
def test_the_ideal_order_is_perfect(graded):
    best = sorted(graded, key=lambda name: -graded[name])
    labels = labels_of([graded], 1)
    relevance = labels.judge(padded([[IDS.index(name) for name in best]]))
    for name in ["map", "mrr", "ndcg", "ndcg@3", "hit_rate@1", f"recall@{DEPTH}", "map_comp@3"]:
        assert parse(name).score(relevance) == pytest.approx(1.0)


@quick
@given(rankings, label_sets)
def test_without_a_hit_nothing_is_won(found, graded):
    missed = [
        {name: grade for name, grade in grades.items() if IDS.index(name) not in results}
        for results, grades in zip(found, graded, strict=False)
    ]
    labels = labels_of(missed, len(found))
    relevance = labels.judge(padded(found))
    labelled = relevance.n_relevant > 0
    for measure in MEASURES:
        worst = 0.0 if measure.higher_is_better else 1.0
        if measure.kind != "judged":
            assert (measure.score(relevance)[labelled] == worst).all(), measure.name


@quick
@given(rankings, label_sets, levels, st.data())
def test_moving_a_relevant_result_up_never_costs(found, graded, level, data):
    labels = labels_of(graded, len(found))
    before = padded(found)
    row = data.draw(st.integers(0, len(found) - 1))
    if len(found[row]) < 2:
        return
    place = data.draw(st.integers(1, len(found[row]) - 1))
    grades = labels.grades(before)
    if grades[row, place] < level or grades[row, place] < grades[row, place - 1]:
        return
    after = before.copy()
    after[row, [place - 1, place]] = before[row, [place, place - 1]]
    for measure in MEASURES:
        # The competition divides by the hits in the first 3, so another hit may lower its MAP.
        if measure.kind in ("judged", "map_comp"):
            continue
        change = (
            measure.score(labels.judge(after, level)) - measure.score(labels.judge(before, level))
        )[row]
        assert not (change if measure.higher_is_better else -change) < -1e-12, measure.name


@quick
@given(rankings, label_sets, st.permutations(range(N)))
def test_renaming_and_reordering_the_corpus_changes_nothing(found, graded, order):
    ids = tuple(f"new-{order[number]}" for number in range(N))
    places = {old: ids[number] for number, old in enumerate(IDS)}
    shuffled = [ids[row] for row in order]
    renamed = [{places[name]: grade for name, grade in grades.items()} for grades in graded]
    moved = [[shuffled.index(ids[node]) for node in results] for results in found]
    np.testing.assert_array_equal(
        scores_of(padded(found), labels_of(graded, len(found))),
        scores_of(padded(moved), labels_of(renamed, len(found), shuffled)),
    )


@quick
@given(rankings, label_sets, st.integers(1, 5))
def test_empty_columns_change_nothing(found, graded, more):
    labels = labels_of(graded, len(found))
    np.testing.assert_array_equal(
        scores_of(padded(found), labels), scores_of(padded(found, DEPTH + more), labels)
    )


@quick
@given(st.lists(rankings.filter(lambda found: len(found) >= 2), min_size=1, max_size=4), label_sets)
def test_a_batch_is_a_loop(batch, graded):
    labels = labels_of(graded, 2)
    nodes = np.stack([padded(found[:2]) for found in batch])
    looped = np.stack([scores_of(one, labels) for one in nodes])
    np.testing.assert_array_equal(scores_of(nodes, labels), looped)
    np.testing.assert_array_equal(scores_of(nodes[None], labels), looped[None])


def test_grades_say_what_was_judged(monkeypatch):
    qrels = {"q1": {"d1": 50, "d2": -2, "lost": 1}, "q3": {"d0": 200}}
    labels = Labels.of(qrels, ["q1", "q2", "q3"], IDS)
    nodes = padded([[1, 2, 0], [1], [0, 1]])
    expected = [[50, 0, UNJUDGED], [UNJUDGED, *[NO_RESULT] * 2], [200, UNJUDGED, NO_RESULT]]
    np.testing.assert_array_equal(labels.grades(nodes)[:, :3], expected)
    # A table of one query at a time must say the same.
    monkeypatch.setattr("experiments.metrics.relevance._TABLE_CELLS", 1)
    np.testing.assert_array_equal(labels.grades(nodes)[:, :3], expected)
    assert labels.judge(nodes).n_relevant.tolist() == [2, 0, 1]


def test_reordered_candidates_need_no_second_lookup():
    labels = labels_of([{"d1": 1, "d4": 2}], 1)
    nodes, order = padded([[0, 1, 2, 4]], 4), np.array([[3, 0, 1, 2]])
    again = np.take_along_axis(nodes, order, axis=1)
    moved = labels.relevance(np.take_along_axis(labels.grades(nodes), order, axis=1))
    for measure in MEASURES:
        assert measure.score(moved) == pytest.approx(measure.score(labels.judge(again)))


def test_an_id_that_stands_twice_is_refused():
    with pytest.raises(ValueError, match="1 ids of the ranking stand twice"):
        Labels.of({}, ["q"], ["a", "a"])
