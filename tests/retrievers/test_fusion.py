"""Hybrid: the tree of parts around the numbers of fusion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from retrievers.base import BatchRetriever
from retrievers.fusion import Hybrid
from retrievers.ranking import EVERY_PART, QueryPlan, Ranking, Rows, Scores, best_first

NAN = np.nan
PLANS = [QueryPlan("q", {EVERY_PART: ("text",)})]


class Fixed(BatchRetriever):
    """Scores written down beforehand; NaN for no hit."""

    def __init__(self, *scores: float, exact: Sequence[float] | None = None) -> None:
        super().__init__("fixed")
        self.scores, self.exact = np.array(scores), exact
        self.asked: list[str] = []

    def index(self, texts: Sequence[str]) -> None: ...
    def save(self, folder: Path) -> None: ...
    def load(self, folder: Path) -> None: ...

    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        self.asked += texts
        return best_first(np.tile(self.scores, (len(texts), 1)), depth)

    def score(self, texts: Sequence[str], candidates: Rows) -> Scores:
        if self.exact is None:
            return super().score(texts, candidates)
        found = np.array(self.exact)[np.maximum(candidates, 0)]
        return np.where(candidates >= 0, found, NAN)


def run(retriever: BatchRetriever, depth: int = 10, plans: Sequence[QueryPlan] = PLANS) -> Ranking:
    retriever.build([TextNode(id_=name, text=name) for name in "abcd"])
    return retriever.retrieve_many(plans, depth)


def nested() -> Hybrid:
    first = Hybrid(
        {"dense": Fixed(0.9, 0.7, 0.5, 0.1), "sparse": Fixed(12, 3, NAN, 6)},
        weights={"dense": 0.7, "sparse": 0.3},
    )
    return Hybrid(
        {"first": first, "rerank": Fixed(-4, 2, 1, 1)}, weights={"first": 0.525, "rerank": 0.475}
    )


def test_weights_multiply_down_the_tree() -> None:
    expected = {"dense": 0.3675, "sparse": 0.1575, "rerank": 0.475}
    assert nested().effective_weights() == pytest.approx(expected, abs=1e-12)


def test_nesting_equals_the_flat_sum_of_effective_weights() -> None:
    flat = Hybrid(
        {
            "rerank": Fixed(-4, 2, 1, 1),
            "sparse": Fixed(12, 3, NAN, 6),
            "dense": Fixed(0.9, 0.7, 0.5, 0.1),
        },
        weights=nested().effective_weights(),
    )
    one, other = run(nested()), run(flat)
    np.testing.assert_array_equal(one.nodes, other.nodes)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_parts_hold_the_raw_scores_of_every_leaf() -> None:
    ranking = run(nested(), depth=4)
    by_id = {name: place for place, name in enumerate(ranking.ids(0))}
    assert set(ranking.parts) == {"dense", "sparse", "rerank"}
    assert ranking.parts["sparse"][0, by_id["a"]] == 12
    assert np.isnan(ranking.parts["sparse"][0, by_id["c"]])
    assert ranking.parts["rerank"][0, by_id["a"]] == -4


def test_a_part_of_weight_zero_gives_no_candidates_and_is_never_asked() -> None:
    silent = Fixed(NAN, NAN, 9, 8)
    ranking = run(Hybrid({"a": Fixed(2, 1, NAN, NAN), "b": silent}, weights={"b": 0}))
    assert ranking.ids(0) == ["a", "b"]
    assert silent.asked == []
    assert set(ranking.parts) == {"a"}


def test_opposite_weights_give_opposite_rankings() -> None:
    parts = {"a": Fixed(4, 3, 2, 1), "b": Fixed(1, 2, 3, 4)}
    assert run(Hybrid(parts, weights={"a": 1, "b": 0.1})).ids(0) == list("abcd")
    assert run(Hybrid(parts, weights={"a": 0.1, "b": 1})).ids(0) == list("dcba")


def test_exact_asks_the_leaf_for_what_it_did_not_return() -> None:
    parts = {"a": Fixed(3, 1, NAN, 2, exact=[3, 1, 0, 2]), "b": Fixed(1, 2, 5, 3)}
    ranking = run(Hybrid(parts, missing={"a": "exact"}))
    place = ranking.ids(0).index("c")
    assert ranking.parts["a"][0, place] == 0
    expected = (0 - 2) / np.sqrt(2 / 3) + (5 - 2.75) / np.sqrt(2.1875)
    assert ranking.scores[0, place] == pytest.approx(expected, abs=1e-9)


def test_exact_is_refused_by_a_leaf_that_cannot_score() -> None:
    with pytest.raises(ValueError, match="missing=min or missing=zero"):
        run(Hybrid({"a": Fixed(3, 1, NAN, 2), "b": Fixed(1, 2, 5, 3)}, missing="exact"))


def test_reciprocal_rank_fusion_by_hand() -> None:
    parts = {"a": Fixed(9, 8, NAN, 7), "b": Fixed(NAN, 1, 2, NAN)}
    ranking = run(Hybrid(parts, normalise="rank"))
    assert ranking.ids(0) == ["b", "a", "c", "d"]
    np.testing.assert_allclose(ranking.scores[0], [2 / 62, 1 / 61, 1 / 61, 1 / 63])


def test_each_leaf_reads_its_own_texts_however_deep() -> None:
    dense, sparse = Fixed(1, 2, 3, 4), Fixed(4, 3, 2, 1)
    tree = Hybrid({"first": Hybrid({"dense": dense, "sparse": sparse}), "other": Fixed(1, 1, 1, 1)})
    run(tree, plans=[QueryPlan("q", {EVERY_PART: ("all",), "dense": ("passage",)})])
    assert dense.asked == ["passage"]
    assert sparse.asked == ["all"]


def test_an_unbuilt_empty_leaf_list_leaves_the_others_alone() -> None:
    ranking = run(Hybrid({"a": Fixed(NAN, NAN, NAN, NAN), "b": Fixed(1, 2, 5, 3)}))
    assert ranking.ids(0) == ["c", "d", "b", "a"]
    assert np.isfinite(ranking.scores).all()


def test_a_part_that_two_fusions_share_keeps_its_own_name() -> None:
    shared, other = Fixed(4, 3, 2, 1, exact=[4, 3, 2, 1]), Fixed(NAN, 2, 3, 4)
    words = Hybrid({"words": shared, "other": other}, missing={"words": "exact"})
    terms = Hybrid({"terms": shared})
    plans = [QueryPlan("q", {EVERY_PART: ("all",), "words": ("as words",), "terms": ("terms",)})]
    assert set(run(words, plans=plans).parts) == {"words", "other"}
    assert set(run(terms, plans=plans).parts) == {"terms"}
    assert shared.asked == ["as words", "terms"]
    assert shared.name == "fixed"
    assert list(run(shared).parts) == ["fixed"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": {"bm52": 1.0}}, "'bm52', which is no part"),
        ({"weights": {"a": -1.0}}, "numbers from 0 up"),
        ({"weights": {"a": 0.0, "b": 0.0}}, "every weight is 0"),
        ({"normalise": "l2"}, "choose from zscore"),
    ],
)
def test_a_wrong_setting_is_one_sentence(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hybrid({"a": Fixed(1), "b": Fixed(1)}, **arguments)  # type: ignore[arg-type]


def test_leaf_names_are_unique_in_the_tree() -> None:
    inner = Hybrid({"bm25": Fixed(1)})
    with pytest.raises(ValueError, match="two parts are called 'bm25'"):
        Hybrid({"inner": inner, "bm25": Fixed(1)})
