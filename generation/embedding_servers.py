"""Clients for embeddings, as YAML names them. A key is read from the environment, by its name."""

from __future__ import annotations

from llama_index.core.base.embeddings.base import BaseEmbedding

from generation.servers import NO_KEY, key_of

OPTION = "embedding.model.passages.key_from"


def openai(
    model: str,
    *,
    key_from: str = "OPENAI_API_KEY",
    dimensions: int | None = None,
    texts_a_call: int = 100,
) -> BaseEmbedding:
    """A client for a model of OpenAI's.

    key_from: the environment variable that holds the key.
    dimensions: to which the server cuts a vector; None for all of them.

    Raises ValueError where that is not set, ModuleNotFoundError without the extra `api`.
    """
    from llama_index.embeddings.openai import OpenAIEmbedding

    client: BaseEmbedding = OpenAIEmbedding(
        model_name=model,  # as `model` it takes only those that the library knows
        api_key=key_of(key_from, OPTION),
        dimensions=dimensions,
        embed_batch_size=texts_a_call,
        max_retries=0,
    )
    return client


def openai_like(
    model: str,
    *,
    api_base: str,
    key_from: str | None = None,
    dimensions: int | None = None,
    texts_a_call: int = 32,
) -> BaseEmbedding:
    """A client for any server that speaks OpenAI's protocol: vLLM, Ollama, Upstage and others.

    api_base: such as http://localhost:8000/v1.
    key_from: the environment variable that holds the key; None for a server that wants none.

    Raises ValueError where that variable is not set, ModuleNotFoundError without the extra `api`.
    """
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding

    client: BaseEmbedding = OpenAILikeEmbedding(
        model_name=model,
        api_base=api_base,
        api_key=NO_KEY if key_from is None else key_of(key_from, OPTION),
        dimensions=dimensions,
        embed_batch_size=texts_a_call,
        max_retries=0,
    )
    return client


def huggingface(
    model: str,
    *,
    query_prefix: str = "",
    passage_prefix: str = "",
    device: str | None = None,
    texts_a_call: int = 32,
) -> BaseEmbedding:
    """A model of sentence-transformers in this process, downloaded at its first use.

    query_prefix, passage_prefix: what the model wants before a text, such as "query: ".
    device: "cpu", "cuda", "mps"; None for the best there is.

    Raises ModuleNotFoundError without the extra `torch`.
    """
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    client: BaseEmbedding = HuggingFaceEmbedding(
        model_name=model,
        query_instruction=query_prefix,
        text_instruction=passage_prefix,
        device=device,
        embed_batch_size=texts_a_call,
    )
    return client
