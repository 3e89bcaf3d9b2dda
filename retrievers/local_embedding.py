"""The shape of an embedding that is computed in this process."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class LocalEmbedding(BaseEmbedding):
    """An embedding computed in this process: async calls run it as they are, without a network."""

    @abstractmethod
    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        """One vector a text, float32 [n, d]."""

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts as one array, float32 [n, d]."""
        return self._vectors(texts, queries=False)

    def get_query_embedding_batch(self, queries: Sequence[str]) -> list[list[float]]:
        """The vectors of many queries at once."""
        return self._vectors(queries, queries=True).tolist()  # type: ignore[no-any-return]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._vectors(texts, queries=False).tolist()  # type: ignore[no-any-return]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.get_query_embedding_batch([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._get_text_embeddings(texts)
