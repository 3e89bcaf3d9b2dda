"""What a ranking refuses, so that no row is lost and no id is read by letters."""

import numpy as np
import pytest

from retrievers.ranking import Ranking


def table(query_ids=("q1",), nodes=((0, 1),), node_ids=("a", "b")):
    rows = np.array(nodes)
    return Ranking(query_ids, node_ids, rows, np.zeros(rows.shape))


@pytest.mark.parametrize("found", ["d1", {"d1": 0.5}, 3, None])
def test_results_that_are_no_list_are_refused(found):
    with pytest.raises(ValueError, match=r'results of query "q1" are .* give a list of ids'):
        Ranking.from_lists({"q1": found})


@pytest.mark.parametrize("item", [None, True, 1.5, ("a", 1, 2), (None, 1.0)])
def test_a_result_that_is_no_id_is_refused(item):
    with pytest.raises(ValueError, match='One id in the results of query "q1"'):
        Ranking.from_lists({"q1": ["a", item]})


@pytest.mark.parametrize("score", ["high", None, [1]])
def test_a_score_that_is_no_number_is_refused(score):
    with pytest.raises(ValueError, match=r'Query "q1" gives "a" the score .*: give a number'):
        Ranking.from_lists({"q1": [("a", score)]})


def test_whole_numbers_are_ids_as_in_the_datasets():
    found = Ranking.from_lists({1: [2, np.int64(3), (4, 0.5), "2"]}, node_ids=[3, "2"])
    assert found.by_query() == {"1": ["2", "3", "4"]}
    assert found.node_ids == ("3", "2", "4")
    with pytest.raises(ValueError, match='query "1" stands twice'):
        Ranking.from_lists({1: ["a"], "1": ["b"]})


def test_a_query_with_two_rows_is_refused():
    with pytest.raises(ValueError, match='query "q1" stands twice'):
        table(("q1", "q1"), [[0, 1], [1, 0]])


@pytest.mark.parametrize("row", [-2, 2, 1_000_000])
def test_a_row_that_no_node_has_is_refused(row):
    with pytest.raises(ValueError, match=f"the row {row} and there are 2 ids"):
        table(nodes=[[0, row]])


def test_rows_are_whole_numbers():
    with pytest.raises(ValueError, match="nodes holds float64, not whole numbers"):
        table(nodes=[[0.0, 1.0]])


def test_a_head_is_never_cut_from_the_end():
    assert table().head(1).by_query() == {"q1": ["a"]}
    with pytest.raises(ValueError, match="depth -1: give 0 or more"):
        table().head(-1)
