"""Embeddings behind an address: in parallel, within limits, again where that helps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import Field, PrivateAttr

from generation.answers import Answer
from generation.faults import Fault, ModelError, fault_of
from generation.limits import Limits, limiter, within
from generation.model_identity import describe_model, without_secrets
from generation.retry import Retry
from generation.tally import StageUsage, Tally
from generation.usage import count_tokens

Vectors = list[list[float]]
STAGE = "embedding"
_LONGEST_BLOCK = 2048


class ServedEmbedding(BaseEmbedding):
    """Passages and queries embedded by clients of a server.

    passages: the client; its `embed_batch_size` is the number of texts a call.
    queries: the client for queries where the model is another one (Upstage Solar); None for the
        same. A query is a call of its own, by `get_query_embedding`, so that clients which treat
        queries in a way of their own are heard.
    query_prefix, passage_prefix: what the model wants before a text ("query: ").
    limits, retry: how the server is treated; all clients of a process share the limits.

    A text that is left without a vector ends the run: raises ModelError, a ValueError, in one
    sentence and without the key. Vectors so far are kept by the `StoredEmbedding` around it.
    """

    passages: BaseEmbedding
    queries: BaseEmbedding | None = None
    query_prefix: str = ""
    passage_prefix: str = ""
    limits: Limits = Field(default_factory=Limits, exclude=True)
    retry: Retry = Field(default_factory=Retry, exclude=True)
    _tally: Tally = PrivateAttr(default_factory=Tally)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        block = self.passages.embed_batch_size * self.limits.concurrency
        self.embed_batch_size = min(block, _LONGEST_BLOCK)

    def identity(self) -> dict[str, Any]:
        """All that can change a vector: models, addresses and prefixes, and no key."""
        return {
            "passages": _described(self.passages),
            "queries": None if self.queries is None else _described(self.queries),
            "prefixes": [self.query_prefix, self.passage_prefix],
        }

    def usage(self) -> dict[str, StageUsage]:
        """What the calls came to, since this part was made."""
        return self._tally.stages()

    def get_query_embedding_batch(self, queries: Sequence[str]) -> Vectors:
        """Vectors of queries, [n][dimensions]."""
        client = self.queries or self.passages
        texts = [[self.query_prefix + query] for query in queries]
        return self._all(client, texts, lambda some: [client.get_query_embedding(*some)])

    def _get_text_embeddings(self, texts: list[str]) -> Vectors:
        size = self.passages.embed_batch_size
        full = [self.passage_prefix + text for text in texts]
        blocks = [full[begin : begin + size] for begin in range(0, len(full), size)]
        return self._all(self.passages, blocks, self.passages.get_text_embedding_batch)

    def get_text_embedding_batch(
        self, texts: list[str], show_progress: bool = False, **_: Any
    ) -> Vectors:
        """Vectors of passages, [n][dimensions]."""
        return self._get_text_embeddings(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.get_query_embedding_batch([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _all(
        self,
        client: BaseEmbedding,
        blocks: Sequence[list[str]],
        embed: Callable[[list[str]], Vectors],
    ) -> Vectors:
        self._tally.asked(STAGE, len(blocks))
        with ThreadPoolExecutor(self.limits.concurrency) as pool:
            waiting = [pool.submit(self._embedded, client, block, embed) for block in blocks]
            try:
                return [vector for done in waiting for vector in done.result()]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _embedded(
        self, client: BaseEmbedding, texts: list[str], embed: Callable[[list[str]], Vectors]
    ) -> Vectors:
        """The vectors of one call, with all its attempts."""
        faults: list[Fault] = []
        while True:
            outcome = self._attempt(client, texts, embed, again=bool(faults))
            if not isinstance(outcome, Fault):
                return outcome
            faults.append(outcome)
            self._tally.fault(STAGE, outcome.kind)
            wait = self.retry.wait("\n".join(texts), faults)
            if wait is None:
                self._tally.failed(STAGE, outcome.kind)
                raise ModelError(
                    f"{client.model_name} gave no vectors: {outcome.reason} ({len(faults)} "
                    "attempts): look after the server and the options of embedding, and run again; "
                    "the vectors so far are stored."
                )
            time.sleep(wait)

    def _attempt(
        self,
        client: BaseEmbedding,
        texts: list[str],
        embed: Callable[[list[str]], Vectors],
        *,
        again: bool,
    ) -> Vectors | Fault:
        limits = self.limits
        places = limiter(_line(client), limits.concurrency, limits.requests_per_minute)
        with places.place():
            self._tally.sent(STAGE, again=again)
            started = time.perf_counter()
            try:
                vectors = within(limits.timeout, lambda: embed(texts))
                _check(vectors, texts)
            except Exception as error:
                fault = fault_of(error, lambda text: without_secrets(client, text))
                if fault is None:
                    raise
                if fault.wait is not None:
                    places.pause(fault.wait)
                return fault
        spent = time.perf_counter() - started
        tokens = sum(map(count_tokens, texts))
        answer = Answer("vectors", tokens_in=tokens, estimated=True, seconds=spent)
        self._tally.answered(STAGE, answer, None)
        return vectors


def _check(vectors: Vectors, texts: Sequence[str]) -> None:
    """Raises LookupError, an unreadable answer, where there is not one vector a text."""
    if len(vectors) != len(texts) or not all(vectors):
        raise LookupError(f"{len(vectors)} vectors for {len(texts)} texts")


def _described(client: BaseEmbedding) -> dict[str, Any]:
    known = describe_model(client)
    known.get("arguments", {}).pop("embed_batch_size", None)
    return known


def _line(client: BaseEmbedding) -> str:
    """What shares its limits: the class of a client and its address."""
    return f"{type(client).__name__} {getattr(client, 'api_base', '')} {client.model_name}"
