"""A weight counts under every rule of fusion: a sweep over weights is never flat."""

from __future__ import annotations

import numpy as np
import pytest

from retrievers.fusion import Hybrid
from retrievers.score_fusion import Normalise
from tests.retrievers.test_fusion import Fixed, run

RULES = ["zscore", "minmax", "rank", "none"]


def ids(normalise: Normalise, a: float, b: float) -> list[str]:
    parts = {"a": Fixed(4, 3, 2, np.nan), "b": Fixed(1, 2, np.nan, 4)}
    return run(Hybrid(parts, weights={"a": a, "b": b}, normalise=normalise)).ids(0)


@pytest.mark.parametrize("normalise", RULES)
def test_the_heavier_part_leads(normalise: Normalise) -> None:
    assert ids(normalise, 1, 0.01)[:2] == ["a", "b"]
    assert ids(normalise, 0.01, 1)[:2] == ["d", "b"]


@pytest.mark.parametrize("normalise", RULES)
def test_a_part_of_weight_zero_is_as_if_it_were_not_there(normalise: Normalise) -> None:
    assert ids(normalise, 1, 0) == ["a", "b", "c"]
    assert ids(normalise, 0, 1) == ["d", "b", "a"]


def test_a_part_without_a_match_gets_no_credit_by_rank() -> None:
    silent = Fixed(np.nan, np.nan, np.nan, np.nan)
    ranking = run(Hybrid({"a": Fixed(np.nan, 2, np.nan, 1), "silent": silent}, normalise="rank"))
    assert ranking.ids(0) == ["b", "d"]
    np.testing.assert_allclose(ranking.scores[0], [1 / 61, 1 / 62])
