"""Models behind an address, as YAML names them. A key is read from the environment, by its name."""

from __future__ import annotations

import os

from llama_index.core.llms import LLM

NO_KEY = "none"  # an empty one would make the client send OPENAI_API_KEY to any address


def no_model() -> None:
    """`llm=none`: a part that needs a model says which to choose."""


def openai(
    model: str,
    *,
    key_from: str = "OPENAI_API_KEY",
    temperature: float = 0.0,
    max_tokens: int | None = 512,
) -> LLM:
    """A model of OpenAI's.

    key_from: the environment variable that holds the key.

    Raises ValueError where that is not set and for a model that the installed library does not
    know, ModuleNotFoundError without the extra `api`.
    """
    from llama_index.llms.openai import OpenAI

    client = OpenAI(
        model=model, api_key=key_of(key_from), temperature=temperature, max_tokens=max_tokens
    )
    try:
        client.metadata  # noqa: B018  it looks the model up
    except ValueError as error:
        if "Unknown model" not in str(error):
            raise
        raise ValueError(
            f"llm.llm.model is {model}, which this version of llama-index-llms-openai does not "
            "know: correct the name, or reach a newer model with llm=openai_like "
            f"llm.llm.model={model} llm.llm.api_base=https://api.openai.com/v1 "
            f"llm.llm.key_from={key_from}."
        ) from None
    return client


def openai_like(
    model: str,
    *,
    api_base: str,
    key_from: str | None = None,
    temperature: float = 0.0,
    max_tokens: int | None = 512,
    context_window: int = 8192,
) -> LLM:
    """A model of any server that speaks OpenAI's protocol: vLLM, Ollama, Upstage and others.

    api_base: such as http://localhost:8000/v1.
    key_from: the environment variable that holds the key; None for a server that wants none.
    context_window: tokens.

    Raises ValueError where that variable is not set, ModuleNotFoundError without the extra `api`.
    """
    from llama_index.llms.openai_like import OpenAILike

    client: LLM = OpenAILike(
        model=model,
        api_base=api_base,
        api_key=NO_KEY if key_from is None else key_of(key_from),
        temperature=temperature,
        max_tokens=max_tokens,
        context_window=context_window,
        is_chat_model=True,
    )
    return client


def key_of(variable: str, option: str = "llm.llm.key_from") -> str:
    """The key that an environment variable holds; `option` is the one that names the variable.

    Raises ValueError where it is not set.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(
            f"The key of this model is read from the environment variable {variable}, which is not "
            f"set: export {variable}=… and run again, or name another one with {option}."
        )
    return key
