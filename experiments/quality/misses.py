"""What bad chunks cost: the measures beside the gold passages that one pipeline missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from experiments.chunking import span_of
from experiments.misses.gold import document_misses, document_values, span_misses
from experiments.misses.relation import MissRelation, miss_relations
from experiments.misses.sentences import query_sentence, sentence

if TYPE_CHECKING:
    import pandas as pd
    from llama_index.core.schema import TextNode
    from numpy.typing import NDArray

    from experiments.pipeline import Outcome
    from experiments.schema import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Misses:
    """The relation of each measure with what was missed; none where nothing could be looked at.

    k: a gold passage below this place of its query's ranking is missed.
    skipped: one sentence that says why nothing was looked at; "" where it was.
    """

    k: int
    relations: Mapping[str, MissRelation] = field(default_factory=dict)
    skipped: str = ""

    def told(self) -> list[tuple[MissRelation, list[str]]]:
        """Each relation with its sentences."""
        return [
            (relation, [said for said in (sentence(relation), query_sentence(relation)) if said])
            for relation in self.relations.values()
        ]

    def frame(self) -> pd.DataFrame:
        """One row a measure: how many were missed, the AUC with its interval, and both p-values."""
        import pandas as pd

        return pd.DataFrame(
            {
                "measure": name,
                "missed": relation.missed,
                "found": relation.found,
                "auc": relation.auc.value if relation.auc else None,
                "auc_low": relation.auc.low if relation.auc else None,
                "auc_high": relation.auc.high if relation.auc else None,
                "p": relation.auc.p if relation.auc else None,
                "p_holm": relation.auc.corrected if relation.auc else None,
                "share_of_misses_in_the_worst_tenth": relation.share.value
                if relation.share
                else None,
                "said": sentence(relation),
            }
            for name, relation in self.relations.items()
        )


def find_misses(
    dataset: Dataset,
    outcome: Outcome,
    nodes: Sequence[TextNode],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    queries: Sequence[str],
    k: int,
    seed: int,
) -> Misses:
    """Join the measures of the chunks to what a pipeline found.

    columns: measure -> one value a chunk.  queries: those that may be looked at; what a gate
    blocked is left out. With document labels a document has the mean of its chunks' values.
    """
    blocked = outcome.gate.blocked
    passed = {plan.id for plan, gone in zip(outcome.plans, blocked, strict=True) if not gone}
    asked = [query for query in queries if query in passed]
    if dataset.spans is not None:
        places = {node.node_id: span_of(node) for node in nodes}
        gold = span_misses(outcome.ranked, dataset.spans, places, k=k, queries=asked)
        return Misses(k=k, relations=miss_relations(columns, gold, seed=seed))
    names, owners = _documents(nodes)
    gold = document_misses(outcome.ranking, dataset.qrels or {}, names, k=k, queries=asked)
    values = {name: document_values(column, owners, len(names)) for name, column in columns.items()}
    return Misses(k=k, relations=miss_relations(values, gold, seed=seed))


def _documents(nodes: Sequence[TextNode]) -> tuple[list[str], NDArray[np.int64]]:
    """The documents that have a chunk, and the row of each chunk's."""
    rows: dict[str, int] = {}
    owners = [rows.setdefault(node.ref_doc_id or node.node_id, len(rows)) for node in nodes]
    return list(rows), np.array(owners, dtype=np.int64)
