"""The shape of an embedding that works on many texts at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

Vectors = list[list[float]]


class BatchEmbedding(BaseEmbedding):
    """A LlamaIndex embedding whose real work is done for many texts at once.

    LlamaIndex cuts texts into blocks of `embed_batch_size` of its own; here all of them arrive
    together, and a single text is a batch of one.
    """

    @abstractmethod
    def get_query_embedding_batch(self, queries: Sequence[str]) -> Vectors:
        """Vectors of queries, [n][dimensions]."""

    @abstractmethod
    def _get_text_embeddings(self, texts: list[str]) -> Vectors:
        """Vectors of passages, [n][dimensions]."""

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
