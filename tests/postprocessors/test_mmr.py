"""Maximal marginal relevance is that of its definition, for every query at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from postprocessors.mmr import MMR, greedy_order
from retrievers.lsa import LsaEmbedding
from tests.postprocessors.rankings import nodes_of, plans_of, ranking_of

TEXTS = ["해와 별", "해와 별", "달과 바다", "물과 불", "해와 달"]


def ordered(part, row):
    ranking = ranking_of([row])
    return part.postprocess_many(ranking, plans_of(["q"]), nodes_of(TEXTS)).nodes[0].tolist()


def by_definition(length, alike, share):
    left, taken = [*range(length)], []
    while left:

        def value(place):
            relevance = 1 - place / length
            return share * relevance - (1 - share) * max(
                (alike[place][t] for t in taken), default=0
            )

        best = max(left, key=lambda place: (value(place), -place))
        taken.append(best)
        left.remove(best)
    return taken


@given(
    st.integers(0, 2**32 - 1), st.lists(st.integers(0, 6), min_size=1, max_size=4), st.floats(0, 1)
)
def test_it_takes_what_the_definition_takes(seed, lengths, share):
    tables = np.random.default_rng(seed).uniform(-1, 1, (len(lengths), 6, 6))
    alike = tables + tables.transpose(0, 2, 1)
    order = greedy_order(np.array(lengths), alike, share)
    for row, length in enumerate(lengths):
        assert order[row, :length].tolist() == by_definition(length, alike[row], share)
        assert order[row, length:].tolist() == [*range(length, 6)]


def test_a_copy_of_the_best_moves_back():
    assert ordered(MMR(share=0.5), [0, 1, 2, 3]) == [0, 2, 3, 1]


def test_all_relevance_keeps_the_order_and_those_behind_stay():
    assert ordered(MMR(share=1.0), [3, 1, 0, 2]) == [3, 1, 0, 2]
    assert ordered(MMR(share=0.0, first=2), [0, 1, 2, 3]) == [0, 1, 2, 3]


def test_an_embedding_can_say_what_is_alike():
    assert ordered(MMR(share=0.5, embedding=LsaEmbedding()), [0, 1, 2, 3])[-1] == 1
