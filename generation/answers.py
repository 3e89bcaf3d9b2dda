"""What is asked of a model and what came back; one record a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from llama_index.core.base.llms.types import CompletionResponse

Check = Callable[[str, str], str]
"""(prompt, answer) -> why the answer cannot be used, one clause; "" where it can."""


class Records(Protocol):
    """Text -> bytes, kept beyond the process."""

    def get(self, texts: Sequence[str]) -> dict[str, bytes]: ...
    def put(self, values: Mapping[str, bytes]) -> None: ...
    def claimed(self, text: str, ended: Callable[[], bool]) -> AbstractContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said to one prompt.

    text: None where the call failed, which is not an empty answer.
    reason: why there is no text, one clause.
    tokens_in, tokens_out: as the server counted them; `estimated` where it did not.
    tokens_cached: of tokens_in, read from the server's prompt cache.
    cut: the answer ended at the length limit.
    seconds: of the call that succeeded.
    stored: read from the store, so it cost nothing.
    """

    text: str | None
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    estimated: bool = False
    cut: bool = False
    seconds: float = 0.0
    stored: bool = False

    @property
    def missing(self) -> bool:
        """Whether the call failed."""
        return self.text is None

    def to_bytes(self) -> bytes:
        """What is stored of an answer."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, value: bytes) -> Answer:
        """An answer that was stored, marked as such."""
        return replace(cls(**json.loads(value)), stored=True)


@dataclass(frozen=True, slots=True)
class Request:
    """One call to be made.

    prompt: the text that is counted and checked.
    key: all that tells this call from others of the same model; what it is stored under.
    send: makes the call.
    """

    prompt: str
    key: str
    send: Callable[[], CompletionResponse] = field(compare=False)

    @classmethod
    def of(
        cls,
        prompt: str,
        send: Callable[[], CompletionResponse],
        *,
        version: str,
        asked: Any,
        options: Mapping[str, Any],
    ) -> Request:
        """asked: the prompt as it is sent, as a JSON value.  options: of this call alone."""
        return cls(prompt, json.dumps([version, asked, options], sort_keys=True, default=str), send)
