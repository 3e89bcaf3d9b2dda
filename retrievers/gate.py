"""Is there anything here to find? Asked after the first retrieval, without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrievers.base import BatchRetriever, indexed_text
from retrievers.random_words import RandomWords, geometric_mean
from retrievers.ranking import Flags, QueryPlan, Ranking, Scores

_NO_JUDGE = (
    "gate=score judges by words, and this retriever has no part that matches whole words (bm25): "
    "only queries that find nothing are blocked."
)


@dataclass(frozen=True, slots=True, eq=False)
class GateDecision:
    """Which queries go on. A blocked query is not an empty result.

    blocked: bool [q].
    reasons: length q, one clause for each blocked query, "" for the others.
    statistics: float64 [q], what the gate measured; NaN where it measured nothing.
    note: one sentence where the gate could not judge, else "".
    """

    blocked: Flags
    reasons: tuple[str, ...]
    statistics: Scores
    note: str = ""


@dataclass(frozen=True)
class Vagueness:
    """How well random words of the corpus do against each plan; what `ScoreGate` judges by."""

    draws: int
    seed: int

    def __call__(self, plans: Sequence[QueryPlan], retriever: BatchRetriever) -> Scores:
        """The joined p of each plan, in (0, 1], [q]; NaN where no leaf can tell."""
        leaves = _judges(retriever)
        if not leaves:
            return np.full(len(plans), np.nan)
        words = RandomWords([indexed_text(n) for n in retriever.nodes], self.draws, self.seed)
        chances = {
            name: words.chances(leaf, [plan.for_part(name) for plan in plans])
            for name, leaf in leaves.items()
        }
        return geometric_mean(chances)


class NoGate:
    """Lets every query through."""

    measure = None
    """What it asks of the indexes; a measure that is a part of its own can be kept."""

    def decide(
        self,
        plans: Sequence[QueryPlan],
        ranking: Ranking,
        retriever: BatchRetriever,
        measured: Scores | None = None,
    ) -> GateDecision:
        count = len(plans)
        return GateDecision(np.zeros(count, dtype=bool), ("",) * count, np.full(count, np.nan))


class ScoreGate:
    """Blocks a query that tells the passages apart no better than a random word of theirs does.

    Measured: the standard deviation of the query's scores over the passages, in each leaf of the
    retriever. A question about something here lifts some passages above the rest; chit-chat leaves
    them level. Score dispersion predicts retrieval quality without labels (NQC: Shtok, Kurland,
    Carmel, Raiber & Markovits, ACM TOIS 2012); here it is taken over all passages.

    Null: a query of one word, drawn from the distinct words of the passages. p is the rank of the
    query among `draws` of them, (1 + those at least as good) / (1 + draws), leaf by leaf. The
    leaves count alike, whatever their weights in the fusion, and are joined by the geometric mean
    of p; a leaf without a hit says nothing. Blocked: joined p above `alpha`. In a corpus of several
    scripts a query is measured on the passages in its own, see `RandomWords`.

    Rates: a query as vague as a random word gets through at a rate of at most `alpha` with one leaf
    and of at most e * alpha, e = 2.718, with several, however they depend on each other (Vovk &
    Wang, Biometrika 2020). Questions have no null: how many are blocked can only be observed. The
    weak spot is a question of one known word: it is as good as a random word, not better.

    A verdict rests on the corpus and the one query alone. A plan of several texts counts by the
    best of them. A query that finds nothing is blocked; where no leaf can tell (a corpus of less
    than 30 passages), no other is. A retriever without a lexical leaf is not judged either: an
    embedding places every text somewhere, rare names badly, and stretches of characters that all
    questions share ("무엇인가요") hide the one rare word that tells passages apart.

    judge: a retriever with a lexical leaf that judges in place of the pipeline's own, so that
        pipelines with different retrievers get the same verdicts. Its leaves are indexed with them.
    """

    def __init__(
        self,
        alpha: float = 0.2,
        *,
        draws: int = 99,
        seed: int = 0,
        judge: BatchRetriever | None = None,
    ) -> None:
        if not 0 < alpha < 1 or draws < 1:
            raise ValueError(
                f"gate=score got alpha={alpha} and draws={draws}: "
                "alpha lies between 0 and 1, draws is 1 or more."
            )
        if judge is not None and not _judges(judge):
            raise ValueError(f"gate.judge is {judge.name}, which has no part that matches words.")
        self.alpha, self.draws, self.seed, self.judge = alpha, draws, seed, judge

    @property
    def measure(self) -> Vagueness:
        """What it asks of the indexes, whatever `alpha` is."""
        return Vagueness(self.draws, self.seed)

    def decide(
        self,
        plans: Sequence[QueryPlan],
        ranking: Ranking,
        retriever: BatchRetriever,
        measured: Scores | None = None,
    ) -> GateDecision:
        """The verdict on each plan.

        ranking: what the pipeline found for them.  retriever: what judges, `judge` where given.
        measured: what `measure` says of them; it is asked where None.
        """
        joined = self.measure(plans, retriever) if measured is None else measured
        empty = ranking.lengths() == 0
        with np.errstate(invalid="ignore"):
            blocked = empty | (joined > self.alpha)
        reasons = tuple(
            self._reason(bool(found_nothing), float(p)) if stopped else ""
            for stopped, found_nothing, p in zip(blocked, empty, joined, strict=True)
        )
        note = "" if _judges(retriever) else _NO_JUDGE
        return GateDecision(blocked, reasons, np.where(empty, np.nan, joined), note)

    def _reason(self, found_nothing: bool, p: float) -> str:
        if found_nothing:
            return "it finds no passage at all"
        return (
            "it tells the passages apart no better than a random word of the corpus does "
            f"(p = {p:.2f}, limit {self.alpha:g})"
        )


def _judges(retriever: BatchRetriever) -> Mapping[str, BatchRetriever]:
    leaves = retriever.leaves()
    return leaves if any(leaf.lexical for leaf in leaves.values()) else {}
