"""The answers to one ranking under several prompts, scored query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from experiments.identity import fingerprint
from experiments.metrics.answers import METRICS as ANSWER_METRICS
from experiments.metrics.answers import score_answers
from experiments.rag.contexts import assemble_all
from experiments.rag.evidence_loss import stage_recalls
from experiments.rag.stories import beside
from postprocessors.long_context_reorder import LongContextReorder, Order

if TYPE_CHECKING:
    from experiments.metrics.per_query import PerQuery
    from experiments.pipeline import Outcome
    from experiments.schema import Dataset
    from generation.answers import Answer
    from generation.context import Assembled, ContextAssembler
    from generation.llm import StoredLLM

STAGE = "answer"
NO_MODEL = "llm is none, so there are recalls alone: llm=offline answers without a model."
NO_POSITION = (
    "The offline model quotes the passages that fit the question, wherever they stand: it cannot "
    "show an effect of position. Take llm=local or a model of a server for that."
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The first `top_k` passages of a ranking that fit the budget, in an order."""

    top_k: int
    order: Order


class Read(NamedTuple):
    """What came of one reading.  prompts: a fingerprint of all its prompts."""

    scores: PerQuery
    prompts: str


def read_many(
    dataset: Dataset,
    outcome: Outcome,
    assembler: ContextAssembler,
    llm: StoredLLM | None,
    readings: Mapping[str, Reading],
    rel_level: int = 1,
) -> dict[str, Read]:
    """Name of a reading -> its recalls, with labels, its answer scores, with a model, its prompts.

    Nobody is asked where the dataset has no reference answer to score by. All prompts are asked in
    one batch, so that equal ones are asked once.
    """
    assemblers = {name: replace(assembler, top_k=one.top_k) for name, one in readings.items()}
    prompts = {
        name: assemble_all(dataset, outcome, assemblers[name], _reorder(one.order), {})
        for name, one in readings.items()
    }
    referenced = any(query.answer for query in dataset.queries)
    answers = _ask(llm, prompts) if llm is not None and referenced else {}
    ids = tuple(query.id for query in dataset.queries)
    labelled = dataset.qrels is not None or dataset.spans is not None
    found = {}
    for name, one in readings.items():
        tables = []
        if labelled:
            recalls = stage_recalls(
                dataset, outcome, prompts[name], top_k=one.top_k, rel_level=rel_level
            )
            tables.append(recalls)
        if name in answers:
            references = [[query.answer] if query.answer else [] for query in dataset.queries]
            tables.append(score_answers(ids, [said.text for said in answers[name]], references))
        hashes = [prompt.manifest.context_hash for prompt in prompts[name]]
        found[name] = Read(beside(ids, tables), fingerprint(hashes))
    return found


def answer_metric(scores: PerQuery) -> str | None:
    """The answer score that figures and tests show: the last of those there are."""
    known = [name for name in ANSWER_METRICS if name in scores.metrics]
    return known[-1] if known else None


def is_extractive(llm: StoredLLM | None) -> bool:
    """Whether the model only quotes, whatever the order."""
    from generation.offline import ExtractiveLLM

    return llm is not None and isinstance(llm.llm, ExtractiveLLM)


def _reorder(order: Order) -> list[LongContextReorder]:
    return [LongContextReorder(order=order, min_nodes=0)]


def _ask(llm: StoredLLM, prompts: Mapping[str, Sequence[Assembled]]) -> dict[str, list[Answer]]:
    flat = [one.prompt for several in prompts.values() for one in several]
    answers = iter(llm.complete_many(flat, stage=STAGE))
    return {name: [next(answers) for _ in several] for name, several in prompts.items()}
