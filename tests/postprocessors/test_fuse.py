"""The fused score is the one computed by hand, and the weights are those of the formula."""

from pathlib import Path

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from postprocessors.fuse import Fuse
from retrievers.fusion import Hybrid
from retrievers.ranking import Ranking
from tests.postprocessors.rankings import plans_of
from tests.retrievers.test_fusion import Fixed, run

CONF = Path(__file__).parents[2] / "conf"
NAN = np.nan
RECIPE = {"found": {"weight": 0.525, "parts": {"dense": 0.7, "bm25": 0.3}}, "rerank": 0.475}


def one_query(**parts):
    tables = {name: np.array([values], dtype=float) for name, values in parts.items()}
    width = len(next(iter(parts.values())))
    nodes = np.arange(width, dtype=np.int32)[None]
    ids = tuple(f"d{place}" for place in range(width))
    return Ranking(("q",), ids, nodes, np.zeros((1, width)), tables)


def fused(part, ranking):
    return part.postprocess_many(ranking, plans_of(["q"]), ())


def test_the_formula_by_hand():
    # dense  0.9 0.5 0.1  -   mean 0.5, deviation sqrt(0.32/3); bm25  -  6 2 10  mean 6, sqrt(32/3)
    # rerank 1 -3 5 1         mean 1, deviation sqrt(32/4)
    ranking = one_query(
        dense=[0.9, 0.5, 0.1, NAN], bm25=[NAN, 6.0, 2.0, 10.0], rerank=[1.0, -3.0, 5.0, 1.0]
    )
    one, two = 1.224744871391589, 1.4142135623730951  # sqrt(3/2), sqrt(2)
    by_hand = {
        "d0": (one * 0.7 - one * 0.3) * 0.525 + 0.0 * 0.475,  # bm25 lacks it: its lowest
        "d1": (0.0 * 0.7 + 0.0 * 0.3) * 0.525 - two * 0.475,
        "d2": (-one * 0.7 - one * 0.3) * 0.525 + two * 0.475,
        "d3": (-one * 0.7 + one * 0.3) * 0.525 + 0.0 * 0.475,
    }
    after = fused(Fuse(weights=RECIPE), ranking)
    assert after.ids(0) == ["d0", "d2", "d3", "d1"] == sorted(by_hand, key=by_hand.get)[::-1]
    np.testing.assert_allclose(
        after.scores[0], [by_hand[name] for name in after.ids(0)], rtol=0, atol=1e-9
    )


def test_the_effective_weights_are_those_of_the_recipe():
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose(overrides=["+postprocessor=fuse"])
    weights = instantiate(config.postprocessor.fuse).effective_weights()
    assert weights == pytest.approx({"dense": 0.3675, "bm25": 0.1575, "rerank": 0.475}, abs=1e-12)


def test_without_a_reranker_it_is_the_fusion_of_the_retrievers():
    parts = {"a": Fixed(3.0, 1.0, NAN, 2.0), "b": Fixed(NAN, 0.2, 0.9, 0.4)}
    found = run(Hybrid(parts, weights={"a": 2.0, "b": 3.0}))
    after = fused(Fuse(weights={"a": 2.0, "b": 3.0}), found)
    assert after.ids(0) == found.ids(0)
    np.testing.assert_allclose(after.scores, found.scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("missing", ["min", "zero"])
def test_a_constant_part_changes_nothing(missing):
    ranking = one_query(dense=[3.0, 2.0, 1.0], rerank=[7.0, 7.0, 7.0])
    after = fused(Fuse(weights={"dense": 1.0, "rerank": 100.0}, missing=missing), ranking)
    assert after.ids(0) == ["d0", "d1", "d2"]
    assert np.isfinite(after.scores).all()


def test_ties_stand_in_corpus_order_and_what_only_others_found_goes():
    ranking = one_query(dense=[1.0, 1.0, NAN], char=[0.0, 0.0, 9.0])
    part = Fuse(weights={"dense": 1.0})
    assert fused(part, ranking).ids(0) == ["d0", "d1"]
    assert part.notes == ("fuse gives no weight to char.",)


def test_each_part_has_its_own_rule():
    ranking = one_query(dense=[10.0, 20.0], rerank=[0.9, 0.1])
    part = Fuse(
        weights={"dense": 1.0, "rerank": 1.0}, normalise={"dense": "minmax", "rerank": "none"}
    )
    np.testing.assert_allclose(fused(part, ranking).scores[0], [1.1, 0.9], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("weights", "fault"),
    [
        (
            {"dense": 1.0, "sparse": 1.0},
            "weighs 'sparse', which no step gave: name parts among dense",
        ),
        ({}, "weighs nothing"),
        ({"dense": 0.0}, "Every weight is 0"),
        ({"dense": -1.0}, "weights are numbers from 0 up"),
        ({"x": {"weight": 1.0}}, "give a number, or a weight and its parts"),
        ({"dense": 1.0, "x": {"weight": 1.0, "parts": {"dense": 1.0}}}, "'dense' twice"),
    ],
)
def test_impossible_weights_are_refused(weights, fault):
    with pytest.raises(ValueError, match=fault):
        fused(Fuse(weights=weights), one_query(dense=[1.0, 2.0]))
