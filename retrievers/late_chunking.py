"""Chunks embedded with their document in view: the document is read whole, then cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from llama_index.core.schema import BaseNode
from numpy.typing import NDArray

from retrievers.contextual import Excerpt, excerpts_of
from retrievers.dense import DenseRetriever, unit_vectors


@runtime_checkable
class TokenEmbedding(Protocol):
    """An embedding that gives a vector for each token, every one in the light of the whole text.

    A text beyond the model's window is for it to cut; it says where each token stands all the same.
    """

    def token_embeddings(self, text: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Vectors [t, d], and [t, 2]: the characters [start, end) of the text that a token is."""
        ...


class LateChunkingRetriever(DenseRetriever):
    """A chunk's vector is the mean of its tokens' vectors, read with the whole document around.

    Günther, Mohr, Williams, Wang & Xiao, "Late Chunking", 2024. The document is what its chunks
    tell together; notes and titles are not embedded. Nothing but the vectors changes: texts, and
    so keyword scores, stay as they are. A query is embedded as ever.
    embedding: a LlamaIndex embedding that is a `TokenEmbedding`.
    A token counts for every chunk that it lies in, if only by a letter; a chunk without a token has
    the zero vector and is no hit.
    """

    def index(self, texts: Sequence[str]) -> None:
        """Embed the nodes whose texts these are. Raises ValueError without token vectors."""
        if not isinstance(self.embedding, TokenEmbedding):
            raise ValueError(
                f"late chunking needs an embedding with token vectors, and "
                f"{type(self.embedding).__name__} has none: give it a token_embeddings(text), or "
                "use retriever=dense."
            )
        self._keep(unit_vectors(_pooled(self.embedding, self.nodes)))


def _pooled(embedding: TokenEmbedding, nodes: Sequence[BaseNode]) -> NDArray[np.float64]:
    """One vector a node, [n, d]; each document is read once."""
    read: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
    found: dict[int, NDArray[np.float64]] = {}
    for place, excerpt in excerpts_of(nodes).items():
        if excerpt.document not in read:
            read = {excerpt.document: embedding.token_embeddings(excerpt.document)}
        found[place] = _mean(excerpt, *read[excerpt.document])
    rows = [found[place] for place in range(len(nodes))]
    return np.stack(rows) if rows else np.zeros((0, 0))


def _mean(excerpt: Excerpt, vectors: NDArray[Any], spans: NDArray[Any]) -> NDArray[np.float64]:
    begin, end = excerpt.start, excerpt.start + len(excerpt.text)
    inside = (spans[:, 0] < end) & (spans[:, 1] > begin)
    if not inside.any():
        return np.zeros(vectors.shape[1])
    return np.asarray(vectors[inside].mean(axis=0), dtype=np.float64)
