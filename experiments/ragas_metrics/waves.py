"""What all rows ask of the judge at one time is asked in one batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pydantic import BaseModel

from experiments.ragas_metrics.judge_answers import read_answer, why_unusable

if TYPE_CHECKING:
    from generation.llm import StoredLLM


class Question(NamedTuple):
    """One call: its prompt, what its answer must hold, and what it is counted and stored under."""

    prompt: str
    model: type[BaseModel]
    stage: str
    version: str


class UnansweredError(Exception):
    """The judge gave nothing to score this row by; the text says why."""


Said: TypeAlias = BaseModel | UnansweredError


class Waves:
    """Hands the judge all questions that wait, whenever every row waits for one.

    answer: questions -> what was said to each. It blocks the event loop, on which nothing but the
        rows runs; so caps, retries and the store are those of the model layer alone.
    """

    def __init__(self, answer: Callable[[Sequence[Question]], Sequence[Said]]) -> None:
        self.answer = answer
        self._waiting: list[tuple[Question, asyncio.Future[BaseModel]]] = []

    async def ask(self, question: Question) -> BaseModel:
        """What the judge said. Raises UnansweredError where it said nothing of use."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[BaseModel] = loop.create_future()
        self._waiting.append((question, future))
        if len(self._waiting) == 1:
            loop.call_soon(self._flush)  # after all rows that can run have asked
        return await future

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            answers = self.answer([question for question, _ in waiting])
        except Exception as error:  # it ends every row, and so the batch
            for _, future in waiting:
                future.set_exception(error)
            return
        for (_, future), said in zip(waiting, answers, strict=True):
            if isinstance(said, UnansweredError):
                future.set_exception(said)
            else:
                future.set_result(said)


def ask_all(judge: StoredLLM, questions: Sequence[Question]) -> list[Said]:
    """The judge's answers; one batch a stage, version and kind of answer.

    Raises ModelError and BudgetError as `StoredLLM.complete_many` does.
    """
    batches: dict[tuple[type[BaseModel], str, str], list[int]] = {}
    for place, one in enumerate(questions):
        batches.setdefault((one.model, one.stage, one.version), []).append(place)
    found: dict[int, Said] = {}
    for (model, stage, version), places in batches.items():
        answers = judge.complete_many(
            [questions[place].prompt for place in places],
            stage=stage,
            version=version,
            check=partial(why_unusable, model=model),
        )
        for place, answer in zip(places, answers, strict=True):
            said = None if answer.text is None else read_answer(answer.text, model)
            found[place] = UnansweredError(answer.reason) if said is None else said
            if answer.cut:
                found[place] = UnansweredError("the judge's answer was cut at its length limit")
    return [found[place] for place in range(len(questions))]
