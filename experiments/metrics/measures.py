"""A metric as a value: its name, its depth, where its definition stands and which way is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple

from experiments.metrics import kernel
from experiments.metrics.kernel import Scores
from experiments.metrics.relevance import Labels, Relevance
from experiments.schema import Qrels
from retrievers.ranking import Ranking

Kernel = Callable[[Relevance, int | None], Scores]

SPAN_PREFIX, JUDGED = "span_", "judged"
_TREC_EVAL = "trec_eval 9 (NIST)"
_COMPETITION = "the science competition's evaluation rule"


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric over labelled documents, at a depth k (None = the whole ranking).

    source: whose definition it is.
    empty: what `empty_qrels: zero` gives a query without relevant documents; None where the metric
        has a value of its own for it.
    """

    kind: str
    k: int | None
    source: str
    higher_is_better: bool
    kernel: Kernel = field(repr=False)
    empty: float | None = 0.0

    @property
    def name(self) -> str:
        """As it is written in a config: ndcg@10."""
        return self.kind if self.k is None else f"{self.kind}@{self.k}"

    def score(self, relevance: Relevance) -> Scores:
        """Scores [..., q] of rankings whose relevance is known."""
        return self.kernel(relevance, self.k)

    def __call__(self, ranking: Ranking, qrels: Qrels) -> Scores:
        """Scores [q] in the ranking's query order, NaN where the query cannot be scored."""
        labels = Labels.of(qrels, ranking.query_ids, ranking.node_ids)
        return self.score(labels.judge(ranking.nodes))


class _Kind(NamedTuple):
    kernel: Kernel
    source: str
    higher_is_better: bool = True
    empty: float | None = 0.0
    uncut: bool = False
    only: int | None = None


_KINDS = {
    "map": _Kind(kernel.average_precision, f"{_TREC_EVAL}: map, map_cut", uncut=True),
    "mrr": _Kind(kernel.reciprocal_rank, f"{_TREC_EVAL}: recip_rank", uncut=True),
    "ndcg": _Kind(kernel.ndcg, f"{_TREC_EVAL}: ndcg, ndcg_cut", uncut=True),
    "recall": _Kind(kernel.recall, f"{_TREC_EVAL}: recall"),
    "precision": _Kind(kernel.precision, f"{_TREC_EVAL}: P"),
    "hit_rate": _Kind(kernel.hit_rate, f"{_TREC_EVAL}: success"),
    JUDGED: _Kind(
        kernel.judged,
        "ir_measures (MacAvaney et al., ECIR 2022): Judged",
        empty=None,
        uncut=True,
    ),
    "failure_rate": _Kind(
        kernel.failure_rate, f"1 - success of {_TREC_EVAL}", higher_is_better=False, empty=1.0
    ),
    "1-recall": _Kind(
        kernel.one_minus_recall,
        "Anthropic, Introducing Contextual Retrieval, 2024",
        higher_is_better=False,
        empty=1.0,
    ),
    "map_comp": _Kind(kernel.competition_average_precision, _COMPETITION, empty=None, only=3),
    "mrr_comp": _Kind(kernel.competition_reciprocal_rank, _COMPETITION, empty=None, only=3),
}


def counts_characters(metric: str) -> bool:
    """Whether a name is that of a metric over spans."""
    return metric.removeprefix("1-").startswith(SPAN_PREFIX)


def parse(text: str) -> Measure:
    """The measure that a name such as `ndcg@10` stands for.

    Raises ValueError for an unknown name, a missing or impossible depth, or a metric over spans.
    """
    kind, at, depth = str(text).partition("@")
    if counts_characters(kind):
        raise ValueError(
            f"{text} is counted in characters and this set is labelled by documents: "
            f"use document metrics, such as map@3, ndcg@10 or recall@10."
        )
    entry = _KINDS.get(kind)
    if entry is None:
        raise ValueError(unknown(text, _KINDS))
    k = _depth(text, at, depth, entry)
    return Measure(kind, k, entry.source, entry.higher_is_better, entry.kernel, entry.empty)


def unknown(text: str, kinds: Iterable[str]) -> str:
    """The sentence for a name that no metric has."""
    names = [f"{kind}@k" for kind in kinds]
    near = get_close_matches(str(text).partition("@")[0].lower() + "@k", names, n=3, cutoff=0.6)
    choices = f"the nearest are {', '.join(near)}" if near else f"there are {', '.join(names)}"
    return f'"{text}" is no metric: {choices}.'


def depth_of(text: str, depth: str) -> int:
    """The k of a name, a whole number from 1."""
    if not (depth.isascii() and depth.isdecimal() and int(depth) > 0):
        kind = text.partition("@")[0]
        raise ValueError(f'"{text}" needs a depth from 1 after "@": write for example {kind}@10.')
    return int(depth)


def _depth(text: str, at: str, depth: str, entry: _Kind) -> int | None:
    if not at and entry.uncut:
        return None
    if entry.only is not None and depth != str(entry.only):
        kind = text.partition("@")[0]
        raise ValueError(
            f'"{text}": the competition\'s rule reads the first {entry.only} results: '
            f"write {kind}@{entry.only}."
        )
    return depth_of(text, depth)
