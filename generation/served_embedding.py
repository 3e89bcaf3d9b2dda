"""Embeddings behind an address: in parallel, within limits, again where that helps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import Field, PrivateAttr

from generation.answers import Answer
from generation.batch_embedding import BatchEmbedding, Vectors
from generation.faults import Failure, Fault, ModelError, fault_of
from generation.limits import Limits, limiter, within
from generation.model_identity import describe_model, without_secrets
from generation.retry import Retry
from generation.side_by_side import side_by_side
from generation.tally import StageUsage, Tally
from generation.usage import count_tokens

STAGE = "embedding"
_LONGEST_BLOCK = 2048


class ServedEmbedding(BatchEmbedding):
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
    _reached: BaseEmbedding | None = PrivateAttr(default=None)

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

    def _all(
        self,
        client: BaseEmbedding,
        blocks: Sequence[list[str]],
        embed: Callable[[list[str]], Vectors],
    ) -> Vectors:
        """The first call of a client goes alone: it finds a wrong key or address."""
        self._tally.asked(STAGE, len(blocks))
        stop = threading.Event()
        jobs = [partial(self._embedded, client, block, embed, stop) for block in blocks]
        alone = jobs[: client is not self._reached]
        first = [job() for job in alone]
        self._reached = client
        rest = side_by_side(jobs[len(alone) :], at_once=self.limits.concurrency, stop=stop)
        return [vector for vectors in [*first, *rest] for vector in vectors]

    def _embedded(
        self,
        client: BaseEmbedding,
        texts: list[str],
        embed: Callable[[list[str]], Vectors],
        stop: threading.Event,
    ) -> Vectors:
        """The vectors of one call, with all its attempts; none where the others have ended."""
        limits = self.limits
        places = limiter(_line(client), limits.concurrency, limits.requests_per_minute)

        def attempt(again: bool) -> Vectors | Fault:
            with places.place(stop):
                outcome = self._sent(client, texts, embed, again=again)
            if isinstance(outcome, Fault):
                self._tally.fault(STAGE, outcome.kind)
            return outcome

        key = "\n".join(texts)
        outcome = self.retry.result(attempt, key=key, limiter=places, stop=stop)
        if not isinstance(outcome, Failure):
            return outcome
        if stop.is_set():
            return []
        fault = outcome.faults[-1]
        self._tally.failed(STAGE, fault.kind)
        raise ModelError(
            f"{client.model_name} gave no vectors: {fault.reason} ({len(outcome.faults)} "
            "attempts): look after the server and the options of embedding, and run again; "
            "the vectors so far are stored."
        )

    def _sent(
        self,
        client: BaseEmbedding,
        texts: list[str],
        embed: Callable[[list[str]], Vectors],
        *,
        again: bool,
    ) -> Vectors | Fault:
        self._tally.sent(STAGE, again=again)
        started = time.perf_counter()
        try:
            vectors = within(self.limits.timeout, lambda: embed(texts))
            _check(vectors, texts)
        except Exception as error:
            fault = fault_of(error, lambda text: without_secrets(client, text))
            if fault is None:
                raise
            return fault
        spent = time.perf_counter() - started
        tokens = sum(map(count_tokens, texts))
        answer = Answer("vectors", tokens_in=tokens, estimated=True, seconds=spent)
        self._tally.answered(STAGE, answer, None)
        return vectors


def _check(vectors: Vectors, texts: Sequence[str]) -> None:
    """Raises LookupError, an unreadable answer, where there is not one finite vector a text."""
    if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
        raise LookupError(f"{len(vectors)} vectors for {len(texts)} texts")
    if not all(vectors) or not np.isfinite(np.asarray(vectors, dtype=np.float64)).all():
        raise LookupError("a vector is empty or not finite")


def _described(client: BaseEmbedding) -> dict[str, Any]:
    known = describe_model(client)
    known.get("arguments", {}).pop("embed_batch_size", None)
    return known


def _line(client: BaseEmbedding) -> str:
    """What shares its limits: the class of a client and its address."""
    return f"{type(client).__name__} {getattr(client, 'api_base', '')} {client.model_name}"
