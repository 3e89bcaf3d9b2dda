"""What scores a query and a passage together, as cross-encoders do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from retrievers.ranking import Scores


class PairScorer(Protocol):
    """How well each passage answers its query; higher is better, on any scale."""

    def score_pairs(self, queries: Sequence[str], texts: Sequence[str]) -> Scores:
        """Raw scores, float64 [n], of queries[i] with texts[i].

        A score depends on its own pair alone (no softmax over a list), and is finite.
        """
        ...


@runtime_checkable
class FittedPairScorer(Protocol):
    """A pair scorer that has to see the corpus before it scores."""

    def fit(self, texts: Sequence[str]) -> None:
        """Learn what it needs from all passages of the corpus."""
        ...
