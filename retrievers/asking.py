"""Asking a LlamaIndex model many things at once, by its own means where it has any."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from llama_index.core.llms import LLM

Check = Callable[[str, str], str]
"""(prompt, answer) -> why the answer cannot be used; "" where it can."""

_NO_TEXT = re.compile("[\ud800-\udfff\0]")
_BEGIN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


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


def given(llm: LLM | None, part: str, instead: str = "") -> LLM:
    """The model of a part.  instead: what does without one, as a clause.

    Raises ValueError where there is none.
    """
    if llm is None:
        raise ValueError(
            f"{part} asks a model and there is none: add llm=openai_like, llm=openai or "
            f"llm=local{instead}."
        )
    return llm


def ask(
    llm: LLM, prompts: Sequence[str], *, stage: str, version: str, check: Check | None = None
) -> tuple[list[str | None], Counter[str]]:
    """One answer a prompt, None where there is none to use, and reason -> how many those are.

    A call that failed has no answer, and an empty one is none. What a model thinks aloud before it
    answers is no part of the answer. Lone surrogates and NUL are sent as blanks.
    """

    def judged(prompt: str, answer: str) -> str:
        return check(prompt, without_thoughts(answer)) if check else ""

    said = _said(llm, [sendable(prompt) for prompt in prompts], stage, version, judged)
    texts = [without_thoughts(one.text or "").strip() or None for one in said]
    pairs = zip(said, texts, strict=True)
    return texts, Counter(one.reason or "it is empty" for one, text in pairs if text is None)


def sendable(text: str) -> str:
    """The text as every server can take it: lone surrogates and NUL are blanks."""
    return _NO_TEXT.sub(" ", text)


def without_thoughts(answer: str) -> str:
    """What a reasoning model says behind its thoughts; "" where it did not get that far."""
    return _BEGIN.split(_END.split(answer)[-1])[0]


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
