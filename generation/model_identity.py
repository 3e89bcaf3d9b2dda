"""What tells one model from another: all that can change its answers, and no secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM

_SECRET = re.compile(r"(^|[_-])(key|token|secret|password|credentials?|headers)$", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+@")
_HOW_IT_IS_CALLED = {
    *("callback_manager", "rate_limiter", "max_retries", "num_retries", "timeout"),
    *("request_timeout", "reuse_client", "keep_alive", "num_threads", "verbose"),
}
_MASK = "…"


def describe_model(model: LLM | BaseEmbedding) -> dict[str, Any]:
    """Class, model name and parameters, as a JSON value without keys, timeouts and retries.

    The address of the server is a part of it: two servers may call different models by one name.
    A model that knows better has a method `identity` of its own.
    """
    arguments = {
        name: value
        for name in sorted(set(type(model).model_fields) - _HOW_IT_IS_CALLED)
        if not _SECRET.search(name) and (value := _plain(getattr(model, name))) is not None
    }
    own = getattr(model, "identity", None)
    known: dict[str, Any] = own() if callable(own) else {"arguments": arguments}
    return {"class": _path(type(model)), **known}


def name_of(model: LLM) -> str:
    """What people call the model."""
    return model.metadata.model_name if model.metadata.model_name != "unknown" else _short(model)


def line_of(model: LLM) -> str:
    """What shares one account at one server: class, address and model name."""
    address = getattr(model, "api_base", None) or getattr(model, "base_url", None) or ""
    return f"{_path(type(model))} {address} {name_of(model)}"


def without_secrets(model: LLM | BaseEmbedding, text: str) -> str:
    """A message with the model's keys taken out, and what looks like one."""
    for secret in _secrets(model):
        text = text.replace(secret, _MASK)
    text = _IN_ADDRESS.sub(f"{_MASK}@", text)
    return re.sub(r"\b(sk|up|gsk|hf)[-_][\w*-]{6,}", _MASK, text)


def _secrets(model: LLM | BaseEmbedding) -> Iterator[str]:
    for name in type(model).model_fields:
        if _SECRET.search(name):
            value = getattr(model, name)
            values = value.values() if isinstance(value, Mapping) else [value]
            yield from (str(one) for one in values if one)


def _plain(value: Any) -> Any:
    """A JSON value; what has no value of its own (a tokenizer, a parser) goes by its class."""
    if isinstance(value, str):
        return _IN_ADDRESS.sub("", value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items() if not _SECRET.search(str(k))}
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return _path(type(value))


def _path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _short(model: LLM) -> str:
    return type(model).__name__
