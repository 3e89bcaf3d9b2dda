"""A re-drawn split keeps its sizes, strata and groups, and is otherwise random."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.overfit.redraws import Layout


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from("ab"), st.integers(0, 8)), min_size=2, max_size=40
    )
)
def test_sizes_strata_and_groups_are_kept(queries):
    sides = {group: side for side, _, group in queries}
    public = np.array([sides[group] for _, _, group in queries])
    strata = np.array([stratum for _, stratum, _ in queries])
    groups = np.array([group for _, _, group in queries])
    drawn = Layout(strata.tolist(), groups.tolist()).redraw(public, 20, seed=1)
    assert (drawn.sum(axis=1) == public.sum()).all()
    for stratum in "ab":
        at = strata == stratum
        assert (drawn[:, at].sum(axis=1) == public[at].sum()).all()
    for group in set(groups.tolist()):
        together = drawn[:, groups == group]
        assert (together == together[:, :1]).all()


def test_every_query_is_public_as_often_as_any_other():
    public = np.arange(30) < 10
    drawn = Layout().redraw(public, 6_000)
    assert drawn.mean(axis=0) == pytest.approx(np.full(30, 1 / 3), abs=0.03)
    pairs = Layout(groups=[row // 2 for row in range(30)]).redraw(public, 6_000)
    assert pairs.mean(axis=0) == pytest.approx(np.full(30, 1 / 3), abs=0.03)


def test_what_has_nothing_to_swap_with_stays():
    public = np.array([True, False, False, True, False, True])
    drawn = Layout(groups=["a", "b", "b", "c", "torn", "torn"]).redraw(public, 50)
    assert (drawn == public).all()


def test_draws_repeat_with_their_seed():
    public = np.arange(20) < 10
    one, two = (Layout().redraw(public, 5, seed=3) for _ in range(2))
    assert (one == two).all()
    assert (one != Layout().redraw(public, 5, seed=4)).any()


def test_labels_for_other_queries_are_refused():
    with pytest.raises(ValueError, match="3 labels for 4 queries"):
        Layout(strata=["a", "b", "c"]).of(np.ones(4, dtype=bool))
    assert Layout(["a", "b"], [1, 2]).of(np.array([False, True])) == Layout(["b"], [2])
