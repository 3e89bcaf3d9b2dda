"""Metrics of ragas that ask no model: ids, strings, ROUGE, BLEU, chrF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.rag.answer_rows import ORDERS, PROMPT, AnswerRow
from experiments.ragas_metrics.columns import Cell, Column, Needs, columns, table
from experiments.ragas_metrics.korean_rouge import rouge_texts
from experiments.ragas_metrics.library import finish, ragas

if TYPE_CHECKING:
    from experiments.metrics.per_query import PerQuery

_TEXTS = Needs(("answer", "reference"))
_IDS = Needs(("reference_ids",), context=True)
PLAIN: Mapping[str, Needs] = {
    "id_context_precision": _IDS,
    "id_context_recall": _IDS,
    "string_context_precision": Needs(("reference_contexts",), context=True, ordered=True),
    "string_context_recall": Needs(("reference_contexts",), context=True),
    "rouge": _TEXTS,
    "bleu": _TEXTS,
    "chrf": _TEXTS,
    "exact_match": _TEXTS,
    "string_presence": _TEXTS,
}
"""Metric -> what it reads of a row."""

_OLDER = {
    "id_context_precision": "IDBasedContextPrecision",
    "id_context_recall": "IDBasedContextRecall",
    "string_context_precision": "NonLLMContextPrecisionWithReference",
    "string_context_recall": "NonLLMContextRecall",
}
_COLLECTED = {
    "rouge": "RougeScore",
    "bleu": "BleuScore",
    "chrf": "CHRFScore",
    "exact_match": "ExactMatch",
    "string_presence": "StringPresence",
}


@dataclass(frozen=True, kw_only=True)
class PlainScores:
    """ragas's scores that need no judge, 0 to 1, higher is better; its own code computes them.

    names: keys of `PLAIN`.
    orders: in which order of the passages the metrics that depend on it are computed; the column
        bears it, such as ragas_string_context_precision_prompt.

    The id metrics compare documents as sets. The string metrics take a passage for a needed one
    where their Levenshtein similarity reaches 0.5. ROUGE (ROUGE-L, F measure) is given our terms
    where a text has letters beyond ASCII, for ragas's drops them. Texts are compared in NFC.
    An empty context scores 0. A failed answer, and a query without a reference or label, is not
    scored, and counted in the notes.

    Source: Es et al., RAGAS, EACL 2024 (the library ragas); Lin, ROUGE, 2004; Papineni et al.,
    BLEU, ACL 2002; Popović, chrF, WMT 2015.
    """

    names: Sequence[str] = tuple(PLAIN)
    orders: Sequence[str] = ORDERS

    def score(self, rows: Sequence[AnswerRow]) -> PerQuery:
        """One row a query, one column a metric and order.

        Raises ValueError for a metric or an order that does not exist, ModuleNotFoundError without
        the extra ragas.
        """
        wanted = columns(self.names, PLAIN, self.orders)
        metrics = {name: _metric(name) for name in dict.fromkeys(self.names)}
        return table(rows, wanted, finish(_scores(rows, wanted, metrics)))


async def _scores(
    rows: Sequence[AnswerRow], wanted: Sequence[Column], metrics: Mapping[str, Any]
) -> list[list[Cell]]:
    return [[await _cell(row, one, metrics[one.metric]) for one in wanted] for row in rows]


async def _cell(row: AnswerRow, column: Column, metric: Any) -> Cell:
    settled = PLAIN[column.metric].settled(row)
    if settled is not None:
        return settled
    if column.metric in _OLDER:
        return float(await metric.single_turn_ascore(_sample(row, column.order or PROMPT)))
    reference, answer = row.reference or "", row.answer or ""
    if column.metric == "rouge":
        reference, answer = rouge_texts(reference, answer)
    return float((await metric.ascore(reference=reference, response=answer)).value)


def _metric(name: str) -> Any:
    """ragas keeps the metrics of ids and contexts in its older module alone."""
    if name in _OLDER:
        return ragas("ragas.metrics", _OLDER[name])()
    return ragas("ragas.metrics.collections", _COLLECTED[name])()


def _sample(row: AnswerRow, order: str) -> Any:
    return ragas("ragas.dataset_schema", "SingleTurnSample")(
        retrieved_contexts=row.texts(order),
        reference_contexts=list(row.reference_contexts),
        retrieved_context_ids=list(row.context_ids),
        reference_context_ids=list(row.reference_ids),
    )
