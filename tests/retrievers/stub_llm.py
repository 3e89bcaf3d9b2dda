"""Models for tests of parts that ask one: plain, and with many prompts at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from pydantic import PrivateAttr


class PlainLLM(CustomLLM):
    """Answers with a function, which may raise."""

    _answer: Callable[[str], str] = PrivateAttr()
    _asked: list[str] = PrivateAttr(default_factory=list)

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__()
        self._answer = answer

    @property
    def asked(self) -> list[str]:
        """The prompts it saw."""
        return self._asked

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="plain")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        self._asked.append(prompt)
        return CompletionResponse(text=self._answer(prompt))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        yield self.complete(prompt, formatted, **kwargs)


class Said(NamedTuple):
    """What a model layer says of one prompt."""

    text: str | None
    reason: str = ""


class LayerLLM(PlainLLM):
    """Takes many prompts at once; where the function raises, the answer is missing."""

    _stages: list[tuple[str, str, int]] = PrivateAttr(default_factory=list)

    @property
    def stages(self) -> list[tuple[str, str, int]]:
        """(stage, version, how many prompts) of each time it was asked."""
        return self._stages

    def complete_many(
        self, prompts: Sequence[str], *, stage: str = "", version: str = "", check: Any = None
    ) -> list[Said]:
        self._stages.append((stage, version, len(prompts)))
        return [self._one(prompt, check) for prompt in prompts]

    def _one(self, prompt: str, check: Any) -> Said:
        try:
            text = self.complete(prompt).text
        except TimeoutError:
            return Said(None, "it did not answer in time")
        why = check(prompt, text)
        return Said(None, why) if why else Said(text)
