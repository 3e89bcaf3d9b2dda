"""Weights are chosen on some folds and reported on another."""

from types import SimpleNamespace

import numpy as np

from experiments.fusion.choice import folds
from experiments.fusion.points import Points, walk
from experiments.fusion.simplex import Grid, Simplex
from experiments.fusion.surface import Rule, Scored
from experiments.fusion.verdict import decide
from experiments.metrics.measures import parse


def fake_points(scores, weights):
    """Points over made-up scores [n, q] of made-up weightings [n, k]."""
    known = {row.tobytes(): place for place, row in enumerate(weights)}

    def score(rule, asked):
        rows = scores[[known[row.tobytes()] for row in asked]]
        return Scored(rows, rows.mean(axis=1, keepdims=True))

    surface = SimpleNamespace(
        parts=tuple("abc"[: weights.shape[1]]),
        measures=(parse("map@3"),),
        public=tuple(map(str, range(scores.shape[1]))),
        score=score,
    )
    return Points(surface, [Rule("zscore", "min", 100)])


def test_a_fold_is_never_chosen_by_its_own_queries():
    rng = np.random.default_rng(0)
    weights = Grid(steps=8).start(2)
    scores = rng.random((9, 30))
    groups = [[row] for row in range(30)]

    def choices(table):
        points = fake_points(table, weights)
        start = points.add(0, weights)
        verdict = decide(points, Grid(8), start, groups, table[0], count=3, seed=0)
        return verdict, points

    before, points = choices(scores)
    assert len(set(before.choices)) > 1
    fold = folds(groups, 3, 30, 0)
    for number, chosen in enumerate(before.choices):
        own = fold == number
        np.testing.assert_array_equal(before.held_out[own], points.first[chosen][own])
        changed = scores.copy()
        changed[:, own] = rng.random((9, int(own.sum())))
        assert choices(changed)[0].choices[number] == chosen


def test_noise_promises_nothing_on_other_folds():
    rng = np.random.default_rng(1)
    weights = Grid(steps=40).start(2)
    gains = []
    for _ in range(20):
        scores = rng.random((41, 60))
        points = fake_points(scores, weights)
        start = points.add(0, weights)
        groups = [[row] for row in range(60)]
        verdict = decide(points, Grid(40), start, groups, scores[0], count=5, seed=0)
        gains.append((verdict.mean - 0.5, verdict.cross_validated - 0.5))
    chosen, held_out = np.mean(gains, axis=0)
    assert chosen > 0.05
    assert abs(held_out) < 0.03


def test_a_search_that_closes_in_takes_each_fold_its_own_way():
    coarse, fine = Simplex(steps=2, turns=2), Grid(steps=8).start(2)
    # Query 0 wants a weight of 0.875 and query 1 one of 0.125.
    scores = np.stack([1 - abs(fine[:, 0] - 0.875), 1 - abs(fine[:, 0] - 0.125)], axis=1)
    points = fake_points(scores, fine)
    start = points.add(0, coarse.start(2))
    for query, wanted in ((0, 0.875), (1, 0.125)):
        top, allowed = walk(points, coarse, start, np.arange(2) == query)
        assert points.weights[top, 0] == wanted
        assert all(abs(points.weights[place, 0] - wanted) < 0.9 for place in allowed[3:])
    assert len(points.rule) < len(fine)
