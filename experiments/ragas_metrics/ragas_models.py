"""Our models in the shape that ragas asks for. Imported only where a judge is used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import BaseModel
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM

from experiments.ragas_metrics.waves import Question

if TYPE_CHECKING:
    from experiments.ragas_metrics.waves import Waves

M = TypeVar("M", bound=BaseModel)


class RowJudge(InstructorBaseRagasLLM):
    """The judge of one row in one metric: every question goes into the next wave.

    version: what the answers are stored under. A question that the row asks again, as answer
    relevancy does, gets an answer of its own, which the store would else give back.
    """

    def __init__(self, waves: Waves, *, stage: str, version: str) -> None:
        self.waves, self.stage, self.version = waves, stage, version
        self._asked: Counter[str] = Counter()

    async def agenerate(self, prompt: str, response_model: type[M]) -> M:
        """Raises UnansweredError where the judge said nothing of use."""
        self._asked[prompt] += 1
        version = f"{self.version}, ask {self._asked[prompt]}"
        said = await self.waves.ask(Question(prompt, response_model, self.stage, version))
        return response_model.model_validate(said.model_dump())

    def generate(self, prompt: str, response_model: type[M]) -> M:
        """ragas asks this of a judge outside an event loop, which no row is."""
        raise NotImplementedError("The metrics are awaited, so nothing asks without waiting.")


class RowEmbedding(BaseRagasEmbedding):
    """An embedding of ours. ragas compares questions with questions: all are embedded as such."""

    def __init__(self, model: BaseEmbedding) -> None:
        super().__init__()
        self.model = model

    def embed_text(self, text: str, **_: Any) -> list[float]:
        return self.model.get_query_embedding(text)

    async def aembed_text(self, text: str, **_: Any) -> list[float]:
        return self.embed_text(text)
