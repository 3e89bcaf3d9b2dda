"""What judging would cost, found by going through it without a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.ragas_metrics.judge_answers import stand_in
from experiments.ragas_metrics.waves import Question, Said, ask_all
from generation.contract import Estimate

if TYPE_CHECKING:
    from generation.llm import StoredLLM

STAGE = "judge/estimate"


class Rehearsal:
    """Reads what the store has; for the rest a stand-in answers, and its call is counted.

    The first questions of a row are known to the letter. Those that hold what the judge says, such
    as its statements, are taken to be as long as the text that it is given.
    """

    def __init__(self, judge: StoredLLM) -> None:
        self.judge = judge
        self._counted: dict[Question, Estimate] = {}

    def answer(self, questions: Sequence[Question]) -> list[Said]:
        """What the judge has said, or a stand-in."""
        return [self._one(question) for question in questions]

    def estimate(self) -> Estimate:
        """All calls that were counted; their price is unknown where that of one is."""
        counted = list(self._counted.values())
        known = [one.usd for one in counted if one.usd is not None]
        return Estimate(
            calls=sum(one.calls for one in counted),
            tokens_in=sum(one.tokens_in for one in counted),
            tokens_out=sum(one.tokens_out for one in counted),
            usd=sum(known) if len(known) == len(counted) else None,
        )

    def _one(self, question: Question) -> Said:
        key = question._replace(stage=STAGE)  # two metrics of one version would be one call
        estimate = self._counted.get(key) or self.judge.estimate(
            [question.prompt], version=question.version
        )
        if estimate.calls:
            self._counted[key] = estimate
            return stand_in(question.prompt, question.model)
        (said,) = ask_all(self.judge, [key])
        return said
