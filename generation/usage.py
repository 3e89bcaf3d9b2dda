"""What a response says about itself: tokens, and whether it was cut."""

from __future__ import annotations

from typing import Any, NamedTuple

from llama_index.core.base.llms.types import CompletionResponse

from retrievers.tokens import tokens_of

ENCODING = "o200k_base"
_READ = ("prompt_tokens", "input_tokens")
_WRITTEN = ("completion_tokens", "output_tokens")
_AT_THE_LIMIT = {"length", "max_tokens", "MAX_TOKENS"}


class Usage(NamedTuple):
    """Tokens of one call; `estimated` where they were counted here, with another model's tokens.

    tokens_cached: so many of tokens_in the server says it read from its prompt cache.
    """

    tokens_in: int
    tokens_out: int
    estimated: bool
    tokens_cached: int = 0


def count_tokens(text: str) -> int:
    """Tokens of a text in o200k_base: an estimate for models with tokens of their own."""
    return len(tokens_of(ENCODING, text))


def usage_of(prompt: str, response: CompletionResponse) -> Usage:
    """The server's counts, or estimates where it gives none."""
    given = _get(response.raw, "usage") or response.additional_kwargs
    tokens_in, tokens_out = _whole(given, _READ), _whole(given, _WRITTEN)
    if tokens_in is not None and tokens_out is not None:
        details = _get(given, "prompt_tokens_details") or _get(given, "input_tokens_details")
        cached = min(_whole(details, ("cached_tokens",)) or 0, tokens_in)
        return Usage(tokens_in, tokens_out, estimated=False, tokens_cached=cached)
    return Usage(count_tokens(prompt), count_tokens(response.text), estimated=True)


def was_cut(response: CompletionResponse) -> bool:
    """Whether the answer ended at the length limit and not where the model ended it."""
    raw = response.raw
    choices = _get(raw, "choices") or [None]
    ends = [_get(choices[0], "finish_reason"), _get(raw, "stop_reason"), _get(raw, "done_reason")]
    return any(end in _AT_THE_LIMIT for end in ends if isinstance(end, str))


def _whole(source: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = _get(source, name)
        if isinstance(value, int) and value >= 0:
            return value
    return None


def _get(source: Any, name: str) -> Any:
    return source.get(name) if isinstance(source, dict) else getattr(source, name, None)
