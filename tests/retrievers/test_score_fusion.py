"""Fusion to hand-computed values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.ranking import Scores
from retrievers.score_fusion import PartRule, contribution, fuse_by_rank, fuse_scores, union

NAN = np.nan
ROWS = np.array([[0, 1, 2, 3]], dtype=np.int32)


def table(*values: float) -> Scores:
    return np.array([values], dtype=np.float64)


def test_zscore_uses_the_population_deviation_of_the_own_list() -> None:
    values = contribution(table(3, 1, NAN, 2), ROWS, PartRule(missing="zero"))
    deviation = np.sqrt(2 / 3)
    np.testing.assert_allclose(values[0], [1 / deviation, -1 / deviation, 0, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("normalise", "missing", "expected"),
    [
        ("minmax", "min", [1, 0, 0, 0.5]),
        ("none", "min", [3, 1, 1, 2]),
        ("none", "zero", [3, 1, 0, 2]),
        ("rank", "min", [1 / 61, 1 / 63, 0, 1 / 62]),
        ("rank", "zero", [1 / 61, 1 / 63, 0, 1 / 62]),
    ],
)
def test_normalise_and_missing(normalise: str, missing: str, expected: list[float]) -> None:
    rule = PartRule(normalise=normalise, missing=missing)  # type: ignore[arg-type]
    np.testing.assert_allclose(contribution(table(3, 1, NAN, 2), ROWS, rule)[0], expected)


def test_a_missing_candidate_gets_the_lowest_z_of_the_list_by_default() -> None:
    values = contribution(table(3, 1, NAN, 2), ROWS, PartRule())[0]
    assert values[2] == values[1] < 0


def test_exact_scores_are_normalised_by_the_list_that_was_returned() -> None:
    rule = PartRule(missing="exact")
    values = contribution(table(3, 1, NAN, 2), ROWS, rule, exact=table(3, 1, 0, 2))[0]
    assert values[2] == pytest.approx((0 - 2) / np.sqrt(2 / 3), abs=1e-12)
    assert values[0] == pytest.approx((3 - 2) / np.sqrt(2 / 3), abs=1e-12)


@pytest.mark.parametrize("constant", [0.5, 0.1, 1e9, 1e-9, 0.0])
@pytest.mark.parametrize("normalise", ["zscore", "minmax"])
def test_a_constant_list_gives_zeros(constant: float, normalise: str) -> None:
    rule = PartRule(normalise=normalise)  # type: ignore[arg-type]
    values = contribution(table(constant, constant, constant, NAN), ROWS, rule)
    assert values.tolist() == [[0, 0, 0, 0]]


def test_an_empty_list_contributes_nothing_to_its_query_alone() -> None:
    scores = np.array([[NAN, NAN], [2.0, 1.0]])
    values = contribution(scores, np.array([[0, 1], [0, 1]], dtype=np.int32), PartRule())
    np.testing.assert_allclose(values, [[0, 0], [1, -1]])


def test_the_published_formula_to_nine_digits() -> None:
    """(dense 0.7 + sparse 0.3) 0.525 + rerank 0.475 over z-scores."""
    dense, sparse, rerank = table(0.9, 0.7, 0.5, 0.1), table(12, 3, NAN, 6), table(-4, 2, 1, 1)
    rules = {n: PartRule(w) for n, w in (("d", 0.3675), ("s", 0.1575), ("r", 0.475))}
    fused = fuse_scores({"d": dense, "s": sparse, "r": rerank}, ROWS, rules)[0]
    z_dense = np.array([0.35, 0.15, -0.05, -0.45]) / np.sqrt(0.35 / 4)
    z_sparse = np.array([5, -4, -4, -1]) / np.sqrt(14)
    z_rerank = np.array([-4, 2, 1, 1]) / np.sqrt(5.5)
    expected = (0.7 * z_dense + 0.3 * z_sparse) * 0.525 + 0.475 * z_rerank
    np.testing.assert_allclose(fused, expected, atol=1e-9, rtol=0)


def test_weight_zero_takes_scores_and_candidates_away() -> None:
    scores = {"a": table(2, 1, NAN, NAN), "b": table(NAN, NAN, 9, 8)}
    fused = fuse_scores(scores, ROWS, {"a": PartRule(), "b": PartRule(0.0)})
    assert np.isnan(fused[0]).tolist() == [False, False, True, True]
    np.testing.assert_array_equal(fused, fuse_scores({"a": scores["a"]}, ROWS, {"a": PartRule()}))


def test_all_weights_zero_is_an_error() -> None:
    with pytest.raises(ValueError, match="Every weight is 0"):
        fuse_scores({"a": table(1, 2, 3, 4)}, ROWS, {"a": PartRule(0.0)})


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        contribution(table(np.inf, 1, 2, 3), ROWS, PartRule())


@pytest.mark.parametrize(
    "wrong",
    [{"weight": -1.0}, {"weight": NAN}, {"normalise": "l2"}, {"missing": "max"}],
)
def test_a_wrong_rule_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="was given"):
        PartRule(**wrong)  # type: ignore[arg-type]


def test_reciprocal_ranks_break_ties_by_corpus_order() -> None:
    rows = np.array([[5, 2, 9]], dtype=np.int32)
    values = contribution(table(1, 1, 7), rows, PartRule(normalise="rank"))
    np.testing.assert_allclose(values[0], [1 / 63, 1 / 62, 1 / 61])


def test_the_union_stands_in_corpus_order() -> None:
    one = (np.array([[7, 2], [4, -1]], dtype=np.int32), np.array([[0.9, 0.8], [0.5, NAN]]))
    other = (np.array([[2, 5], [-1, -1]], dtype=np.int32), np.array([[3.0, 1.0], [NAN, NAN]]))
    rows, scores = union([one, other])
    assert rows.tolist() == [[2, 5, 7], [4, -1, -1]]
    np.testing.assert_array_equal(scores[0], [[0.8, NAN, 0.9], [0.5, NAN, NAN]])
    np.testing.assert_array_equal(scores[1], [[3.0, 1.0, NAN], [NAN, NAN, NAN]])


def test_several_texts_are_fused_by_rank() -> None:
    rows = np.array([[3, 1], [1, 2], [0, -1]], dtype=np.int32)
    found, scores = fuse_by_rank(rows, [2, 1], 5)
    assert found.tolist() == [[1, 3, 2], [0, -1, -1]]
    np.testing.assert_allclose(scores[0], [1 / 62 + 1 / 61, 1 / 61, 1 / 62])


LISTS = st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6), st.just(0.25)), min_size=4, max_size=4)


@given(LISTS, LISTS, st.sampled_from(["zscore", "minmax", "rank", "none"]), st.floats(0, 10))
def test_no_nan_leaves_fusion_and_the_order_of_parts_is_irrelevant(
    one: list[float | None], other: list[float | None], normalise: str, weight: float
) -> None:
    scores = {
        name: table(*(NAN if value is None else value for value in values))
        for name, values in (("one", one), ("other", other), ("third", [0.1, 0.2, 0.3, 0.7]))
    }
    rule = PartRule(normalise=normalise)  # type: ignore[arg-type]
    rules = {"one": rule, "other": PartRule(weight), "third": PartRule(0.3)}
    fused = fuse_scores(scores, ROWS, rules)
    assert np.isfinite(fused).all()
    backwards = fuse_scores(dict(reversed(scores.items())), ROWS, dict(reversed(rules.items())))
    np.testing.assert_array_equal(fused, backwards)
