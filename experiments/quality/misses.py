"""What bad chunks cost: the measures beside the gold passages that one pipeline missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from experiments.candidates import document_rows
from experiments.chunking import span_of
from experiments.evaluation import evaluate, evaluate_spans
from experiments.misses.gold import GoldPassages, document_misses, document_values, span_misses
from experiments.misses.relation import MissRelation, miss_relations
from experiments.misses.sentences import query_sentence, sentence

if TYPE_CHECKING:
    import pandas as pd
    from llama_index.core.schema import TextNode
    from numpy.typing import NDArray

    from experiments.metrics.per_query import PerQuery
    from experiments.misses.estimates import Estimate
    from experiments.pipeline import Outcome
    from experiments.schema import Dataset, Span

NO_LABELS = "The dataset has no labels, so nothing can be said of what bad chunks cost."


@dataclass(frozen=True, slots=True, kw_only=True)
class Misses:
    """The relation of each measure with what was missed; none where nothing could be looked at.

    k: a gold passage below this place of its query's ranking is missed.
    score: the metric that `MissRelation.per_query` is about.
    blocked: queries left out, as the gate let them find nothing.
    lost: gold passages left out, as no chunk holds them.
    sealed: queries left out, as the split does not let them be looked at.
    wanted, missed: int64 [n], how many of the queries that were looked at have a chunk (or its
        document) as a gold passage, and how many of these did not find it; empty where none was.
    skipped: one sentence that says why nothing was looked at; "" where it was.
    """

    k: int
    score: str = ""
    relations: Mapping[str, MissRelation] = field(default_factory=dict)
    blocked: int = 0
    lost: int = 0
    sealed: int = 0
    wanted: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    missed: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    skipped: str = ""

    def told(self) -> list[tuple[MissRelation, list[str]]]:
        """Each relation with its sentences."""
        return [
            (relation, [*filter(None, (sentence(relation), query_sentence(relation, self.score)))])
            for relation in self.relations.values()
        ]

    def frame(self) -> pd.DataFrame:
        """One row a measure: counts, then each estimate with its interval and p-value.

        auc: of missed passages against found ones.  share: of the misses, in the tenth of the gold
        passages with the `tenth` values.  correlation: of values and scores, by query (Spearman).
        p is after Holm's correction over the measures.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "measure": name,
                "missed": relation.missed,
                "found": relation.found,
                "without_value": relation.without_value,
                **_numbers("auc", relation.auc),
                "tenth": relation.end if relation.share else None,
                **_numbers("share", relation.share),
                **_numbers("correlation", relation.per_query),
                "said": " ".join(said),
            }
            for (name, relation), (_, said) in zip(self.relations.items(), self.told(), strict=True)
        )


def find_misses(
    dataset: Dataset,
    outcome: Outcome,
    nodes: Sequence[TextNode],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    queries: Sequence[str],
    k: int,
    rel_level: int = 1,
    sealed: int = 0,
    seed: int,
) -> Misses:
    """Join the measures of the chunks to what a pipeline found.

    columns: measure -> one value a chunk.  queries: those that may be looked at; what a gate
    blocked is left out and counted. With document labels a document has the mean of its chunks'
    values, and those of `rel_level` or more are gold.  sealed: how many queries may not be.
    """
    asked, blocked = _passed(outcome, queries)
    labels = _Labels(dataset, outcome, nodes, k, rel_level)
    gold, owners = labels.gold(asked)
    found = Misses(k=k, blocked=blocked, lost=gold.lost, sealed=sealed)
    if not gold.query_ids:
        told = blocked if asked else 0  # else the sentence has said it
        return replace(found, skipped=_nothing(len(asked), blocked), blocked=told)
    count = len(gold.documents)
    values = {name: document_values(column, owners, count) for name, column in columns.items()}
    table = labels.scores(gold.query_ids)
    (score,) = table.metrics
    wanted, missed = (
        np.bincount(gold.passages[rows], minlength=count)[owners]
        for rows in (slice(None), gold.missed)
    )
    return replace(
        found,
        score=score,
        relations=miss_relations(values, gold, scores=table.column(score), seed=seed),
        wanted=wanted,
        missed=missed,
    )


@dataclass(frozen=True)
class _Labels:
    """What a pipeline found beside the labels: of spans, which have no grades, or of documents."""

    dataset: Dataset
    outcome: Outcome
    nodes: Sequence[TextNode]
    k: int
    rel_level: int

    @cached_property
    def places(self) -> dict[str, Span]:
        return {node.node_id: span_of(node) for node in self.nodes}

    def gold(self, queries: Sequence[str]) -> tuple[GoldPassages, NDArray[np.integer]]:
        """The gold passages, and which of them a chunk is or belongs to, [n]."""
        k, spans = self.k, self.dataset.spans
        if spans is not None:
            found = span_misses(self.outcome.ranked, spans, self.places, k=k, queries=queries)
            return found, np.arange(len(self.nodes))
        names, rows = document_rows(self.nodes)
        ranking, qrels = self.outcome.ranking, self.dataset.qrels or {}
        found = document_misses(
            ranking, qrels, names, k=k, rel_level=self.rel_level, queries=queries
        )
        return found, rows[:-1]

    def scores(self, queries: Sequence[str]) -> PerQuery:
        """The one score of these queries that the measures are held against."""
        spans, qrels = self.dataset.spans, self.dataset.qrels or {}
        if spans is not None:
            score, ranked = f"span_recall@{self.k}", self.outcome.ranked
            return evaluate_spans(ranked, spans, self.places, score, queries=queries)
        score, level = f"ndcg@{self.k}", self.rel_level
        return evaluate(self.outcome.ranking, qrels, score, rel_level=level, queries=queries)


def _passed(outcome: Outcome, queries: Sequence[str]) -> tuple[list[str], int]:
    """The queries that the gate let pass, and how many it did not."""
    stops = zip(outcome.plans, outcome.gate.blocked, strict=True)
    blocked = {plan.id for plan, stopped in stops if stopped}
    passed = [query for query in queries if query not in blocked]
    return passed, len(queries) - len(passed)


def _nothing(asked: int, blocked: int) -> str:
    """Why no gold passage could be looked at."""
    if not asked and blocked:
        return (
            f"The gate blocked all {blocked} queries, so nothing can be said of what bad chunks "
            "cost: gate=none lets them pass."
        )
    return (
        f"None of the {asked} queries asked has a gold passage in a chunk, so nothing can be said "
        "of what bad chunks cost."
    )


def _numbers(name: str, told: Estimate | None) -> dict[str, float | None]:
    """An estimate as four cells, empty where there is none."""
    fields = {"": "value", "_low": "low", "_high": "high", "_p": "corrected"}
    return {f"{name}{end}": getattr(told, key, None) for end, key in fields.items()}
