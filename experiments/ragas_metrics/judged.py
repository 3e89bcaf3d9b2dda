"""Metrics of ragas that ask a judge: any model of ours, through its own store, caps and retries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.console import show_notes
from experiments.metrics.per_query import PerQuery
from experiments.model_usage import UsageMeter
from experiments.rag.answer_rows import ORDERS, AnswerRow
from experiments.ragas_metrics.columns import Cell, Column, columns, table
from experiments.ragas_metrics.judge_metrics import JUDGED, judged_inputs, judged_metric
from experiments.ragas_metrics.library import finish, version
from experiments.ragas_metrics.rehearsal import Rehearsal
from experiments.ragas_metrics.repeats import mean_of_repeats, spread
from experiments.ragas_metrics.waves import Question, Said, UnansweredError, Waves, ask_all

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

    from generation.contract import Estimate
    from generation.llm import StoredLLM


@dataclass(frozen=True, kw_only=True)
class JudgedScores:
    """ragas's scores by a judge, 0 to 1 (answer relevancy, a cosine, from -1), higher is better.

    llm: the judge. It alone owns the store, the caps and the retries. An answer is kept under the
        model, the exact prompt, the version of ragas, the metric and the repeat.
    names: keys of `JUDGED`.  embedding: for answer_relevancy.
    orders: of the passages, for the metrics that depend on it; the column bears it.
    repeats: how often every question is asked. The score is the mean of the repeats that have one;
        the notes say how far they lie apart.
    language: such as korean: the judge first translates ragas's examples into it, once.

    An empty context scores 0, without a call. A row of which the judge left a question unanswered,
    after all retries, is not scored, and counted in the notes with its reason.

    Source: Es et al., RAGAS, EACL 2024; the prompts are those of the library ragas.
    """

    llm: StoredLLM | None
    names: Sequence[str] = tuple(JUDGED)
    embedding: BaseEmbedding | None = None
    orders: Sequence[str] = ORDERS
    repeats: int = 1
    language: str | None = None

    def estimate(self, rows: Sequence[AnswerRow]) -> Estimate:
        """What `score` would cost at most from now on, found without a call.

        Raises ValueError as `score` does.
        """
        rehearsal = Rehearsal(self._judge())
        self._values(rows, rehearsal.answer)
        return rehearsal.estimate()

    def score(self, rows: Sequence[AnswerRow]) -> PerQuery:
        """One row a query, one column a metric and order; what it will cost is said first.

        Raises ValueError for a metric, an order, a number of repeats or a missing model; ModelError
        where no call can succeed, BudgetError before a call that may pass the budget;
        ModuleNotFoundError without the extra ragas.
        """
        llm = self._judge()
        show_notes([_cost(self.estimate(rows))])
        meter = UsageMeter({"judge": llm})
        repeats = self._values(rows, lambda questions: ask_all(llm, questions))
        spent = [f"{stage}: {usage.sentence()}" for stage, usage in meter.read().items()]
        wanted = columns(self.names, JUDGED, self.orders)
        values = np.array([table(rows, wanted, cells).values for cells in repeats])
        spreads = [
            found.sentence(column.name)
            for place, column in enumerate(wanted)
            if (found := spread(values[:, :, place])) is not None
        ]
        return table(rows, wanted, _merged(repeats, mean_of_repeats(values)), [*spreads, *spent])

    def _judge(self) -> StoredLLM:
        columns(self.names, JUDGED, self.orders)
        if self.llm is None:
            raise ValueError(
                "judge=ragas has no model: add llm@judge.llm=openai_like, or another of conf/llm."
            )
        if self.repeats < 1:
            raise ValueError(f"judge.repeats is {self.repeats}: give 1 or more.")
        needs_vectors = "answer_relevancy" in self.names
        if needs_vectors and (self.embedding is None or hasattr(self.embedding, "fit")):
            raise ValueError(
                "answer_relevancy compares questions by an embedding that is fitted on no corpus: "
                "choose embedding=e5_small, or leave the metric out of judge.names."
            )
        return self.llm

    def _values(
        self, rows: Sequence[AnswerRow], answer: Callable[[Sequence[Question]], Sequence[Said]]
    ) -> list[list[list[Cell]]]:
        """[repeats][q][columns], all in one event loop."""
        wanted = columns(self.names, JUDGED, self.orders)
        marks = {name: f"ragas {version()} {name}" for name in dict.fromkeys(self.names)}
        return finish(self._all(rows, wanted, marks, Waves(answer)))

    async def _all(
        self,
        rows: Sequence[AnswerRow],
        wanted: Sequence[Column],
        marks: Mapping[str, str],
        waves: Waves,
    ) -> list[list[list[Cell]]]:
        translator = {name: _judge(waves, "translation", mark) for name, mark in marks.items()}
        metrics = {
            name: await judged_metric(name, judge, self.embedding, self.language)
            for name, judge in translator.items()
        }
        cells: list[Cell] = await asyncio.gather(
            *(
                _cell(
                    row,
                    column,
                    metrics[column.metric],
                    _judge(waves, column.metric, f"{marks[column.metric]}, repeat {again}"),
                )
                for again in range(1, self.repeats + 1)
                for row in rows
                for column in wanted
            )
        )
        shape = (self.repeats, len(rows), len(wanted))
        found: list[list[list[Cell]]] = np.array(cells, dtype=object).reshape(shape).tolist()
        return found


def _judge(waves: Waves, stage: str, mark: str) -> Any:
    from experiments.ragas_metrics.ragas_models import RowJudge

    return RowJudge(waves, stage=f"judge/{stage}", version=mark)


async def _cell(row: AnswerRow, column: Column, metric: Any, judge: Any) -> Cell:
    """The score, or why there is none."""
    settled = JUDGED[column.metric].settled(row)
    if settled is not None:
        return settled
    own = copy(metric)  # each row has a judge of its own, the prompts are shared
    own.llm = judge
    try:
        return float((await own.ascore(**judged_inputs(row, column))).value)
    except UnansweredError as error:
        return str(error)


def _merged(repeats: Sequence[Sequence[Sequence[Cell]]], means: Any) -> list[list[Cell]]:
    """The mean of the repeats, or why the last of them has no score."""
    return [
        [mean if mean == mean else last for mean, last in zip(row, cells, strict=True)]
        for row, cells in zip(means.tolist(), repeats[-1], strict=True)
    ]


def _cost(estimate: Estimate) -> str:
    price = "price unknown" if estimate.usd is None else f"at most ${estimate.usd:.4f}"
    return (
        f"The judge is asked about {estimate.calls} times, with about {estimate.tokens_in} tokens "
        f"to read, {price}."
    )
