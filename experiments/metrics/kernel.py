"""The metrics, as trec_eval defines them, over many rankings at once.

Every function takes a `Relevance` of any leading batch axes and a depth k (None = the whole
ranking) and returns float64 [..., q] in [0, 1]. NaN stands where a query cannot be scored: it has
no relevant document, or, for `judged`, no result. A query without results scores 0. Only places
are read, so tied scores and the names of documents cannot move a number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.relevance import NO_RESULT, UNJUDGED, Hits, Relevance

Scores = NDArray[np.float64]


def average_precision(relevance: Relevance, k: int | None = None) -> Scores:
    """Precision at each relevant result, summed, over the number R of relevant documents.

    R counts the documents that were not found, and is not cut at k (trec_eval map, map_cut).
    """
    hits = relevance.relevant.within(k)
    return _share(hits.total(hits.ordinal / hits.rank), relevance.n_relevant)


def reciprocal_rank(relevance: Relevance, k: int | None = None) -> Scores:
    """1 / the place of the first relevant result, 0 without one (trec_eval recip_rank)."""
    return _where_relevant(relevance, _first_reciprocal(relevance.relevant.within(k)))


def ndcg(relevance: Relevance, k: int | None = None) -> Scores:
    """Discounted gain over that of the ideal ranking: gain = grade, discount = log2(rank + 1).

    The ideal ranking holds every judged document, cut at k, and grades below the level that
    counts as relevant still gain (trec_eval ndcg, ndcg_cut; Järvelin & Kekäläinen, TOIS 2002,
    with Burges's discount). NaN where a query has no document of a positive grade.
    """
    found = relevance.graded.within(k)
    ideal = relevance.ideal.within(k)
    return _share(_discounted(found), _discounted(ideal))


def recall(relevance: Relevance, k: int | None = None) -> Scores:
    """The share of the relevant documents that stand in the first k (trec_eval recall)."""
    return _share(relevance.relevant.within(k).total(), relevance.n_relevant)


def one_minus_recall(relevance: Relevance, k: int | None = None) -> Scores:
    """The share of the relevant documents that are missing from the first k.

    The figure published for contextual retrieval (Anthropic, 2024, at k = 20).
    """
    return 1.0 - recall(relevance, k)


def precision(relevance: Relevance, k: int | None = None) -> Scores:
    """Relevant results in the first k, over k even where a query has fewer (trec_eval P)."""
    places = relevance.grades.shape[-1] if k is None else k
    found = relevance.relevant.within(k).total() / max(places, 1)
    return _where_relevant(relevance, found)


def hit_rate(relevance: Relevance, k: int | None = None) -> Scores:
    """1 where a relevant result stands in the first k, else 0 (trec_eval success)."""
    return _where_relevant(relevance, relevance.relevant.within(k).total() > 0)


def failure_rate(relevance: Relevance, k: int | None = None) -> Scores:
    """1 where no relevant result stands in the first k, else 0."""
    return 1.0 - hit_rate(relevance, k)


def judged(relevance: Relevance, k: int | None = None) -> Scores:
    """The share of the first k results that anyone ever judged, relevant or not.

    Over the results that are there, as in ir_measures (Judged@k). NaN for an empty list.
    """
    grades = relevance.grades[..., :k]
    return _share((grades > UNJUDGED).sum(axis=-1), (grades > NO_RESULT).sum(axis=-1))


def competition_average_precision(relevance: Relevance, k: int | None = 3) -> Scores:
    """The science competition's MAP: as average precision, over the number of hits found.

    A query without relevant documents scores 1 for an empty list and 0 for any other, so every
    query is scored. [A, X, B] with A and B relevant: (1 + 2/3) / 2 = 0.833; [A] alone: 1.
    """
    hits = relevance.relevant.within(k)
    found = hits.total()
    score = hits.total(hits.ordinal / hits.rank) / np.maximum(found, 1)
    return _or_silence(relevance, score)


def competition_reciprocal_rank(relevance: Relevance, k: int | None = 3) -> Scores:
    """The science competition's MRR: 1 / the first hit's place; empty lists as in its MAP."""
    return _or_silence(relevance, _first_reciprocal(relevance.relevant.within(k)))


def _share(part: NDArray[Any], whole: NDArray[Any]) -> Scores:
    shares: Scores = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=shares, where=np.broadcast_to(whole > 0, shares.shape))
    return shares


def _where_relevant(relevance: Relevance, score: NDArray[Any]) -> Scores:
    return np.where(relevance.n_relevant > 0, score, np.nan)


def _or_silence(relevance: Relevance, score: Scores) -> Scores:
    silent = (relevance.grades[..., :1] == NO_RESULT).all(axis=-1)
    return np.where(relevance.n_relevant > 0, score, silent)


def _discounted(hits: Hits) -> Scores:
    return hits.total(hits.grade / np.log2(hits.rank + 1.0))


def _first_reciprocal(hits: Hits) -> Scores:
    return hits.total((hits.ordinal == 1) / hits.rank)
