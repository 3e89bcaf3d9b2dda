"""What bad chunks cost: the measures beside the gold passages that one pipeline missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

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

    from experiments.misses.estimates import Estimate
    from experiments.pipeline import Outcome
    from experiments.schema import Dataset

NO_LABELS = "The dataset has no labels, so nothing can be said of what bad chunks cost."


@dataclass(frozen=True, slots=True, kw_only=True)
class Misses:
    """The relation of each measure with what was missed; none where nothing could be looked at.

    k: a gold passage below this place of its query's ranking is missed.
    score: the metric that `MissRelation.per_query` is about.
    queries: how many were looked at: those with a gold passage that a chunk holds.
    blocked: queries left out, as the gate let them find nothing.
    lost: gold passages left out, as no chunk holds them.
    sealed: queries left out, as the split does not let them be looked at.
    wanted, missed: int64 [n], how many of those queries have a chunk (or its document) as a gold
        passage, and how many of these did not find it; empty where nothing was looked at.
    skipped: one sentence that says why nothing was looked at; "" where it was.
    """

    k: int
    score: str = ""
    relations: Mapping[str, MissRelation] = field(default_factory=dict)
    queries: int = 0
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
    join = _by_documents if dataset.spans is None else _by_spans
    joined = join(dataset, outcome, nodes, columns, queries=asked, k=k, rel_level=rel_level)
    gold = joined.gold
    found = Misses(k=k, blocked=blocked, lost=gold.lost, sealed=sealed)
    if not gold.query_ids:
        told = blocked if asked else 0  # else the sentence has said it
        return replace(found, skipped=_nothing(len(asked), blocked), blocked=told)
    wanted, missed = (
        np.bincount(gold.passages[rows], minlength=len(gold.documents))[joined.owners]
        for rows in (slice(None), gold.missed)
    )
    return replace(
        found,
        score=joined.score,
        relations=miss_relations(joined.values, gold, scores=joined.scores, seed=seed),
        queries=len(gold.query_ids),
        wanted=wanted,
        missed=missed,
    )


class _Joined(NamedTuple):
    """gold: over m passages.  values: measure -> [m].  owners: [n], the passage of each chunk.
    scores: by `score`, of the queries of `gold`."""

    gold: GoldPassages
    values: Mapping[str, NDArray[np.float64]]
    owners: NDArray[np.int64]
    score: str
    scores: NDArray[np.float64]


def _by_spans(
    dataset: Dataset,
    outcome: Outcome,
    nodes: Sequence[TextNode],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    queries: Sequence[str],
    k: int,
    rel_level: int,
) -> _Joined:
    """A passage is a chunk; spans have no grades."""
    spans, places = dataset.spans or {}, {node.node_id: span_of(node) for node in nodes}
    gold = span_misses(outcome.ranked, spans, places, k=k, queries=queries)
    score, scores = f"span_recall@{k}", np.zeros(0)
    if gold.query_ids:
        table = evaluate_spans(outcome.ranked, spans, places, score, queries=gold.query_ids)
        scores = table.column(score)
    return _Joined(gold, columns, np.arange(len(nodes)), score, scores)


def _by_documents(
    dataset: Dataset,
    outcome: Outcome,
    nodes: Sequence[TextNode],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    queries: Sequence[str],
    k: int,
    rel_level: int,
) -> _Joined:
    """A passage is a document, with the mean of its chunks' values."""
    qrels, ranking = dataset.qrels or {}, outcome.ranking
    names, rows = document_rows(nodes)
    owners = rows[:-1]
    gold = document_misses(ranking, qrels, names, k=k, rel_level=rel_level, queries=queries)
    values = {name: document_values(column, owners, len(names)) for name, column in columns.items()}
    score, scores = f"ndcg@{k}", np.zeros(0)
    if gold.query_ids:
        table = evaluate(ranking, qrels, score, rel_level=rel_level, queries=gold.query_ids)
        scores = table.column(score)
    return _Joined(gold, values, owners, score, scores)


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
