"""A model whose answers are a function, and whose failures are a list."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from pydantic import PrivateAttr


class StubLLM(CustomLLM):
    """Answers with `answer(prompt)`; `failures` are raised first, one a call."""

    model: str = "stub"
    temperature: float = 0.0
    api_key: str | None = None
    max_tokens: int = 16
    usage: dict[str, Any] | None = None
    finish: str = "stop"
    _answer: Callable[[str], str] = PrivateAttr()
    _failures: list[Exception] = PrivateAttr()
    _asked: list[str] = PrivateAttr(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def __init__(
        self,
        answer: Callable[[str], str] = "answer to {}".format,
        *,
        failures: list[Exception] | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(**fields)
        self._answer, self._failures = answer, list(failures or [])

    @property
    def asked(self) -> list[str]:
        """The prompts it saw."""
        return self._asked

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.model, num_output=self.max_tokens)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        with self._lock:
            self._asked.append(prompt)
            failure = self._failures.pop(0) if self._failures else None
        if failure is not None:
            raise failure
        raw = {"choices": [{"finish_reason": self.finish}], "usage": self.usage}
        return CompletionResponse(text=self._answer(prompt), raw=raw)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        yield self.complete(prompt, formatted, **kwargs)


class StatusError(Exception):
    """What libraries raise for an HTTP status."""

    def __init__(self, status_code: int, message: str = "", **headers: str) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.response = type("Response", (), {"headers": headers})()
