"""Any LlamaIndex LLM behind a store, with retries, limits, counts and a budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from functools import cached_property
from typing import Any, TypeVar

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.llms import LLM
from pydantic import Field, PrivateAttr

from generation.answers import Answer, Check, Request
from generation.calls import Calls
from generation.contract import ASSUMED_OUTPUT, Contract, Estimate
from generation.faults import ModelError
from generation.limits import Limits, limiter
from generation.model_identity import describe_model, line_of, name_of, without_secrets
from generation.prices import price_of, spending
from generation.retry import Retry
from generation.tally import StageUsage

T = TypeVar("T")
STAGE = "llm"


class StoredLLM(LLM):
    """Asks `llm` only what it has not answered before, and owns all that surrounds a call.

    llm: the model. Its own retries are switched off, its own timeout is the one of `limits`.
    store: a `Store` or `NoStore`: an answer is kept under the provider's class, the model, its
        parameters, the exact prompt and the version of the prompt's kind, as soon as it is there.
    limits, retry: how the server is treated. Limits hold for all parts of a process together.
    prices: model -> {input, output}, US dollars for a million tokens. A model that it does not
        name has an unknown price, which is not a price of 0.
    budget_usd: what this process may spend on this model; None for no limit.

    A failed call is tried again where that can help. In the end `complete_many` gives a missing
    `Answer` for it, and the methods of LlamaIndex raise ModelError, a ValueError.
    """

    llm: LLM
    store: Any = Field(exclude=True)
    limits: Limits = Field(default_factory=Limits, exclude=True)
    retry: Retry = Field(default_factory=Retry, exclude=True)
    prices: Mapping[str, Mapping[str, float]] = Field(default_factory=dict, exclude=True)
    budget_usd: float | None = Field(default=None, exclude=True)
    _calls: Calls = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        line, longest = line_of(self.llm), self.llm.metadata.num_output
        contract = Contract(
            model=name_of(self.llm),
            longest_answer=longest if longest > 0 else ASSUMED_OUTPUT,
            limits=self.limits,
            retry=self.retry,
            price=price_of(name_of(self.llm), self.prices),
            budget=self.budget_usd,
            hide=lambda text: without_secrets(self.llm, text),
        )
        self._calls = Calls(
            contract,
            open_records=lambda: self.store.records("answers", self.identity()),
            limiter=limiter(line, self.limits.concurrency, self.limits.requests_per_minute),
            account=spending(line),
        )

    def identity(self) -> dict[str, Any]:
        """Nothing around a model changes an answer: the model alone identifies this part."""
        return describe_model(self.llm)

    def usage(self) -> dict[str, StageUsage]:
        """Stage -> what its calls came to, since this part was made."""
        return self._calls.tally.stages()

    @property
    def metadata(self) -> LLMMetadata:
        return self.llm.metadata.model_copy(update={"is_function_calling_model": False})

    def complete_many(
        self,
        prompts: Sequence[str],
        *,
        stage: str = STAGE,
        version: str = "",
        check: Check | None = None,
    ) -> list[Answer]:
        """One answer a prompt, in their order; a failed call gives a missing one with its reason.

        stage: what the counts go under.
        version: of the kind of prompt; another one asks anew where the text is the same.
        check: says why an answer cannot be used. Such a call has failed and is not stored.

        Raises ModelError where no call can succeed (key, model or server), BudgetError before a
        call that may pass the budget. What was answered is stored.
        """
        requests = [self._completion(prompt, version) for prompt in prompts]
        return self._calls.answers(requests, stage, check)

    def estimate(self, prompts: Sequence[str], *, version: str = "") -> Estimate:
        """What the prompts that are not answered yet will cost at most."""
        return self._calls.estimate([self._completion(prompt, version) for prompt in prompts])

    def complete(
        self,
        prompt: str,
        formatted: bool = False,
        *,
        stage: str = STAGE,
        version: str = "",
        **kwargs: Any,
    ) -> CompletionResponse:
        request = self._completion(prompt, version, formatted=formatted, **kwargs)
        return CompletionResponse(**self._one(request, stage))

    def chat(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = STAGE,
        version: str = "",
        **kwargs: Any,
    ) -> ChatResponse:
        request = Request.of(
            "\n".join(message.content or "" for message in messages),
            lambda: _as_completion(self._model.chat(messages, **kwargs)),
            version=version,
            asked=[message.model_dump(mode="json", exclude_none=True) for message in messages],
            options=kwargs,
        )
        said = self._one(request, stage)
        message = ChatMessage(role=MessageRole.ASSISTANT, content=said.pop("text"))
        return ChatResponse(message=message, **said)

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseGen:
        """The whole answer as one piece: a stored answer has no pieces."""
        whole = self.complete(prompt, formatted, **kwargs)
        yield whole.model_copy(update={"delta": whole.text})

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        """The whole answer as one piece: a stored answer has no pieces."""
        whole = self.chat(messages, **kwargs)
        yield whole.model_copy(update={"delta": whole.message.content})

    async def acomplete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponse:
        return await self._aside(lambda: self.complete(prompt, formatted, **kwargs))

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return await self._aside(lambda: self.chat(messages, **kwargs))

    async def astream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseAsyncGen:
        async def pieces() -> CompletionResponseAsyncGen:
            whole = await self.acomplete(prompt, formatted, **kwargs)
            yield whole.model_copy(update={"delta": whole.text})

        return pieces()

    async def astream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: Any
    ) -> ChatResponseAsyncGen:
        async def pieces() -> ChatResponseAsyncGen:
            whole = await self.achat(messages, **kwargs)
            yield whole.model_copy(update={"delta": whole.message.content})

        return pieces()

    @cached_property
    def _model(self) -> LLM:
        """The model with retries and timeout left to this class."""
        ours = {"max_retries": 0, "timeout": self.limits.timeout}
        known = {name: ours[name] for name in ours.keys() & type(self.llm).model_fields.keys()}
        return self.llm.model_copy(update=known) if known else self.llm

    def _completion(
        self, prompt: str, version: str, *, formatted: bool = False, **kwargs: Any
    ) -> Request:
        return Request.of(
            prompt,
            lambda: self._model.complete(prompt, formatted=formatted, **kwargs),
            version=version,
            asked=prompt,
            options={"formatted": True, **kwargs} if formatted else kwargs,
        )

    def _one(self, request: Request, stage: str) -> dict[str, Any]:
        """What LlamaIndex holds of an answer. Raises ModelError where there is none."""
        (answer,) = self._calls.answers([request], stage)
        if answer.text is None:
            raise ModelError(f"{name_of(self.llm)} did not answer: {answer.reason}.")
        tokens = {"prompt_tokens": answer.tokens_in, "completion_tokens": answer.tokens_out}
        return {"text": answer.text, "additional_kwargs": tokens, "raw": None}

    async def _aside(self, call: Callable[[], T]) -> T:
        """The result of a call that blocks, without blocking the event loop."""
        run = copy_context().run
        return await asyncio.get_running_loop().run_in_executor(self._calls.pool, run, call)


def _as_completion(response: ChatResponse) -> CompletionResponse:
    return CompletionResponse(
        text=response.message.content or "",
        raw=response.raw,
        additional_kwargs=response.additional_kwargs,
    )
