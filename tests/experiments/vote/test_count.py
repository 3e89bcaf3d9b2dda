"""Votes counted by hand, held to reciprocal rank fusion, and how far two of them agree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.vote.agreement import changed, overlap
from experiments.vote.count import count

DOCUMENTS = [*"abcdef"]


def counted(ballots, weights, k=3, method="borda", queries=("q",)):
    made = count(ballots, weights, queries=queries, documents=DOCUMENTS, k=k, method=method)
    return made.by_query()


def test_borda_counts_by_hand():
    ballots = [{"q": ["a", "b", "c"]}, {"q": ["b", "a", "d"]}, {"q": ["d", "b"]}]
    # 5·3 + 3·2 = 21 for a; 5·2 + 3·3 + 1·2 = 21 for b; a stands first in the corpus; c 5, d 3 + 3
    assert counted(ballots, [5, 3, 1]) == {"q": ["a", "b", "d"]}
    assert counted(ballots, [5, 3, 2]) == {"q": ["b", "a", "d"]}
    assert counted(ballots, [5, 3, 1], k=1) == {"q": ["a"]}


def test_rrf_reads_whole_files():
    ballots = [{"q": ["a", "b", "c", "e"]}, {"q": ["f", "e", "c", "b"]}]
    scores = {n: sum(1 / (61 + b["q"].index(n)) for b in ballots if n in b["q"]) for n in "abcef"}
    best = sorted(scores, key=lambda name: (-scores[name], name))[:2]
    assert counted(ballots, [1, 1], k=2, method="rrf") == {"q": best}


def test_an_empty_list_is_a_vote_and_a_missing_row_is_none():
    assert counted([{"q": []}, {"q": ["a"]}], [2, 1]) == {"q": []}
    assert counted([{"q": []}, {"q": ["a"]}], [1, 1]) == {"q": ["a"]}
    assert counted([{}, {"q": ["a"]}], [5, 1]) == {"q": ["a"]}
    assert counted([{"q": []}, {}, {"q": ["a"]}], [2, 9, 1]) == {"q": []}


lists = st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1, max_size=6)


@settings(deadline=None)
@given(lists, st.lists(lists, min_size=1, max_size=3), st.sampled_from(["borda", "rrf"]))
def test_a_file_with_nearly_all_the_weight_decides_what_it_names(first, others, method):
    ballots = [{"q": one} for one in (first, *others)]
    found = counted(ballots, [1e9, *[1e-3] * len(others)], method=method)["q"]
    assert found[: min(3, len(first))] == first[:3]


@settings(deadline=None)
@given(st.lists(lists, min_size=2, max_size=4), st.floats(0.1, 9))
def test_only_the_ratio_of_the_weights_matters(several, factor):
    ballots, weights = [{"q": one} for one in several], [*range(1, len(several) + 1)]
    assert counted(ballots, weights) == counted(ballots, [8 * weight for weight in weights])
    assert len(counted(ballots, [factor * weight for weight in weights])["q"]) <= 3


def test_agreement_of_two_rankings():
    lists = [{"p": ["a", "b"], "q": [], "r": ["c"]}, {"p": ["b", "a"], "q": [], "r": ["d"]}]
    one, other = (
        count([each], [1], queries=["p", "q", "r"], documents=DOCUMENTS, k=2) for each in lists
    )
    assert overlap(one, other, 2) == pytest.approx(0.5)
    assert overlap(one, one, 2) == 1.0
    assert changed(one, other, 2) == 2
