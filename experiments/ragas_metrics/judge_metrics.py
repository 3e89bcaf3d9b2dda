"""The judged metrics: what each reads of a row, and ragas's class for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from experiments.rag.answer_rows import PROMPT, AnswerRow
from experiments.ragas_metrics.columns import Column, Needs
from experiments.ragas_metrics.library import ragas
from experiments.ragas_metrics.waves import UnansweredError

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

_NO_STATEMENT = "an empty answer states nothing"
_CONTEXT = Needs(("question", "reference"), context=True, ordered=True)
JUDGED: Mapping[str, Needs] = {
    "faithfulness": Needs(("question", "answer"), context=True, blank_answer=_NO_STATEMENT),
    "answer_relevancy": Needs(("question", "answer"), blank_answer=0.0),
    "context_precision": _CONTEXT,
    "context_recall": _CONTEXT,
    "factual_correctness": Needs(("answer", "reference"), blank_answer=0.0),
}
"""Metric -> what it reads of a row."""

_CLASSES = {
    "faithfulness": "Faithfulness",
    "answer_relevancy": "AnswerRelevancy",
    "context_precision": "ContextPrecision",
    "context_recall": "ContextRecall",
    "factual_correctness": "FactualCorrectness",
}
_PROMPTS = ("prompt", "nli_prompt", "statement_generator_prompt", "nli_statement_prompt")


async def judged_metric(
    name: str, judge: Any, embedding: BaseEmbedding | None, language: str | None
) -> Any:
    """One of ragas's, with its examples in the language asked for.

    judge: of ragas's kind; it translates, and each row replaces it by its own.
    Raises ValueError where it cannot translate.
    """
    from experiments.ragas_metrics.ragas_models import RowEmbedding

    vectors = {}
    if name == "answer_relevancy" and embedding is not None:
        vectors["embeddings"] = RowEmbedding(embedding)
    metric = ragas("ragas.metrics.collections", _CLASSES[name])(llm=judge, **vectors)
    for prompt in _PROMPTS if language else ():
        if hasattr(metric, prompt):
            there = getattr(metric, prompt)
            setattr(metric, prompt, await _translated(there, str(language), judge))
    return metric


def judged_inputs(row: AnswerRow, column: Column) -> dict[str, Any]:
    """What ragas calls the parts of a row that the metric reads."""
    contexts = row.texts(column.order or PROMPT)
    fields: dict[str, dict[str, Any]] = {
        "faithfulness": {"response": row.answer, "retrieved_contexts": contexts},
        "answer_relevancy": {"response": row.answer},
        "context_precision": {"reference": row.reference, "retrieved_contexts": contexts},
        "context_recall": {"reference": row.reference, "retrieved_contexts": contexts},
        "factual_correctness": {"response": row.answer, "reference": row.reference},
    }
    question = {} if column.metric == "factual_correctness" else {"user_input": row.question}
    return {**question, **fields[column.metric]}


async def _translated(prompt: Any, language: str, judge: Any) -> Any:
    try:
        return await prompt.adapt(language, judge)
    except (UnansweredError, ValueError) as error:
        raise ValueError(
            f"The judge could not translate ragas's examples into {language} ({error}): leave "
            "judge.language out, or choose a stronger judge."
        ) from error
