"""Pair scorers that read the whole corpus first, and score all of its passages for a query."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from retrievers.ranking import Scores

_BLOCK = 64  # queries that are scored at once


class CorpusScorer(ABC):
    """A `PairScorer` that is fitted on a corpus first: its counts or its spread play a part."""

    def fit(self, texts: Sequence[str]) -> None:
        """Learn all passages, equal ones once."""
        distinct = list(dict.fromkeys(texts))
        self._rows = {text: row for row, text in enumerate(distinct)}
        self.learn(distinct)

    def score_pairs(self, queries: Sequence[str], texts: Sequence[str]) -> Scores:
        """Scores of the pairs, [n]. Raises ValueError for a passage it was not fitted on."""
        rows: dict[str, int] = getattr(self, "_rows", {})
        if any(text not in rows for text in texts):
            raise ValueError(
                f"{type(self).__name__} knows only the passages it was fitted on: call "
                "fit(texts) with all of them first."
            )
        numbers = {query: place for place, query in enumerate(dict.fromkeys(queries))}
        query = np.array([numbers[one] for one in queries], dtype=np.intp)
        row = np.array([rows[text] for text in texts], dtype=np.intp)
        scores = np.zeros(len(query))
        distinct = list(numbers)
        for start in range(0, len(distinct), _BLOCK):
            own = np.flatnonzero((query >= start) & (query < start + _BLOCK))
            table = self.score_all(distinct[start : start + _BLOCK])
            scores[own] = table[query[own] - start, row[own]]
        return scores

    @abstractmethod
    def learn(self, texts: Sequence[str]) -> None:
        """Read the n distinct passages of a corpus."""

    @abstractmethod
    def score_all(self, queries: Sequence[str]) -> Scores:
        """Finite raw scores [q, n] of every passage, each row of its query alone."""
