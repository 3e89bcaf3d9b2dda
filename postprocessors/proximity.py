"""How often, and how close together, the words of a query stand in a passage: no model needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from postprocessors.corpus_scorer import CorpusScorer
from postprocessors.term_counts import Codes, TermCounts
from retrievers.analyzers import analyzer as analyzer_named
from retrievers.ranking import Scores

if TYPE_CHECKING:
    from scipy import sparse


class ProximityScorer(CorpusScorer):
    """The sequential dependence model: terms, adjacent terms, and terms near each other.

    Metzler & Croft, "A Markov Random Field Model for Term Dependencies", SIGIR 2005.
    analyzers: which terms; the scores of several are added up.
    weights: of single terms, of two that follow each other as in the query, and of those two less
        than `window` terms apart in any order; theirs.
    smoothing: what is expected of a passage counts like so many terms of it (their mu).

    It is fitted on the corpus, whose counts smooth those of a passage (Dirichlet prior; Zhai &
    Lafferty, SIGIR 2001). A score is a sum of logarithms over the terms of the query, without what
    is the same for all passages: scores of different queries do not compare. What the corpus does
    not have plays no part; a query without a term of it scores 0 everywhere.
    """

    def __init__(
        self,
        analyzers: Sequence[str] = ("auto", "char_ngram"),
        *,
        weights: Sequence[float] = (0.85, 0.1, 0.05),
        window: int = 8,
        smoothing: float = 100.0,
    ) -> None:
        if (
            not analyzers
            or len(weights) != 3
            or min(weights) < 0
            or window < 2
            or not smoothing > 0
        ):
            raise ValueError(
                f"The proximity scorer got analyzers={list(analyzers)}, weights={list(weights)}, "
                f"window={window} and smoothing={smoothing}: give an analyzer or more, three "
                "weights from 0, a window from 2 and a smoothing above 0."
            )
        self.analyzers, self.weights = analyzers, weights
        self.window, self.smoothing = window, smoothing
        self._counts: dict[str, TermCounts] = {}

    def learn(self, texts: Sequence[str]) -> None:
        self._counts = {
            name: TermCounts.of(analyzer_named(name).analyze_many(texts)) for name in self.analyzers
        }

    def score_all(self, queries: Sequence[str]) -> Scores:
        tables = []
        for name, counts in self._counts.items():
            asked = analyzer_named(name).analyze_many(queries)
            tables.append(self._table([counts.numbers(terms) for terms in asked], counts))
        return np.asarray(np.sum(tables, axis=0))

    def _table(self, queries: Sequence[Codes], counts: TermCounts) -> Scores:
        """The scores of all passages for these queries, [q, n]."""
        adjacent = [counts.pair(own[:-1], own[1:]) for own in queries]
        near = [counts.pair_any_order(own[:-1], own[1:]) for own in queries]
        kinds: list[tuple[Sequence[Codes], Callable[[Codes], sparse.csr_array]]] = [
            (queries, counts.of_terms),
            (adjacent, counts.of_adjacent),
            (near, lambda wanted: counts.of_near(wanted, self.window)),
        ]
        total: Scores = np.zeros((len(queries), len(counts.lengths)))
        for weight, (features, count) in zip(self.weights, kinds, strict=True):
            total += weight * self._likelihoods(features, count, counts.lengths)
        return total

    def _likelihoods(
        self,
        features: Sequence[Codes],
        count: Callable[[Codes], sparse.csr_array],
        lengths: Codes,
    ) -> Scores:
        """log((tf + mu p) / (length + mu)) - log(p), added up over the features of each query.

        p: the share of the corpus that the feature is; one that it does not have is left out.
        """
        from scipy import sparse

        wanted = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *features]))
        found = count(wanted)
        share = found.sum(axis=0) / max(int(lengths.sum()), 1)
        known = share > 0
        owner = np.repeat(np.arange(len(features)), [len(own) for own in features])
        column = np.searchsorted(wanted, np.concatenate([wanted[:0], *features]))
        times = sparse.csr_array(
            (known[column].astype(np.float64), (owner, column)), shape=(len(features), len(wanted))
        )
        scale = np.where(known, self.smoothing * share, 1.0)
        gain = sparse.csr_array(found.multiply(1.0 / scale))
        gain.data = np.log1p(gain.data)
        spread = np.log1p(lengths / self.smoothing)
        asked = times.sum(axis=1)
        return np.asarray((times @ gain.T).toarray() - asked[:, None] * spread[None, :])
