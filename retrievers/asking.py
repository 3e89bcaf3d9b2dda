"""Asking a LlamaIndex model many things at once, by its own means where it has any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from llama_index.core.llms import LLM

Check = Callable[[str, str], str]
"""(prompt, answer) -> why the answer cannot be used; "" where it can."""


class Said(Protocol):
    """What came back: a text, or None and the reason."""

    @property
    def text(self) -> str | None: ...
    @property
    def reason(self) -> str: ...


@runtime_checkable
class AnswersMany(Protocol):
    """A model that takes many prompts, and gives a missing answer for a call that failed."""

    def complete_many(
        self,
        prompts: Sequence[str],
        *,
        stage: str = ...,
        version: str = ...,
        check: Check | None = ...,
    ) -> Sequence[Said]: ...


class _Plain(NamedTuple):
    text: str | None
    reason: str = ""


def ask(
    llm: LLM, prompts: Sequence[str], *, stage: str, version: str, check: Check
) -> tuple[list[str | None], Counter[str]]:
    """One answer a prompt, None where there is none to use, and reason -> how many those are.

    A call that failed has no answer, and an empty one is none.
    """
    said = _said(llm, prompts, stage, version, check)
    texts = [(one.text or "").strip() or None for one in said]
    pairs = zip(said, texts, strict=True)
    return texts, Counter(one.reason or "it is empty" for one, text in pairs if text is None)


def _said(
    llm: LLM, prompts: Sequence[str], stage: str, version: str, check: Check
) -> Sequence[Said]:
    if isinstance(llm, AnswersMany):
        return llm.complete_many(prompts, stage=stage, version=version, check=check)
    return [_one(llm, prompt, check) for prompt in prompts]


def _one(llm: LLM, prompt: str, check: Check) -> Said:
    """What a model without a layer of its own says; whatever it raises is a failed call."""
    try:
        text = llm.complete(prompt).text
    except Exception as error:  # every library has errors of its own; it is counted by its name
        return _Plain(None, type(error).__name__)
    why = check(prompt, text)
    return _Plain(None, why) if why else _Plain(text)
