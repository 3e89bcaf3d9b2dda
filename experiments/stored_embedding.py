"""Any LlamaIndex embedding with its vectors kept by exact text, across datasets and runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from experiments.identity import describe
from experiments.records import Records
from generation.batch_embedding import BatchEmbedding, Vectors
from generation.progress import progress


class StoredEmbedding(BatchEmbedding):
    """Asks `model` only for texts it has not embedded before.

    model: the embedding that does the work; queries and passages are kept apart.
    store: a `Store` or `NoStore`.
    Vectors are float32; one that is not finite is handed on and not kept. The model gets blocks of
    its own `embed_batch_size`, enough to keep all its threads busy; each block is kept as it is
    done, so a killed run loses one block.
    """

    model: BaseEmbedding
    store: Any = Field(exclude=True)
    _records: dict[str, Records] = PrivateAttr(default_factory=dict)

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)
        self.model_name = self.model.model_name

    def identity(self) -> Any:
        """The store does not change a vector, so the model alone identifies this part."""
        return describe(self.model)

    def get_query_embedding_batch(self, queries: Sequence[str]) -> Vectors:
        """Vectors of queries, [n][dimensions]."""
        found = self._embed("query", queries, _queries_of(self.model))
        return found.tolist()  # type: ignore[no-any-return]

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages as one array, float32 [n, dimensions]."""
        return self._embed("passage", texts, self.model.get_text_embedding_batch)

    def _get_text_embeddings(self, texts: list[str]) -> Vectors:
        return self.embed_texts(texts).tolist()  # type: ignore[no-any-return]

    def _embed(
        self, side: str, texts: Sequence[str], embed: Callable[[list[str]], Vectors]
    ) -> NDArray[np.float32]:
        records = self._side(side)
        known = records.get(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        step = self.model.embed_batch_size
        blocks = [missing[start : start + step] for start in range(0, len(missing), step)]
        for block in progress(blocks, f"embedding {len(missing)} new texts ({side})"):
            vectors = np.asarray(embed(block), dtype=np.float32)
            fresh = {text: vector.tobytes() for text, vector in zip(block, vectors, strict=True)}
            sound = [bool(np.isfinite(vector).all()) for vector in vectors]
            records.put(dict(compress(fresh.items(), sound)))
            known |= fresh
        rows = [np.frombuffer(known[text], dtype=np.float32) for text in texts]
        if len(sizes := sorted({len(row) for row in rows})) > 1:
            raise ValueError(
                f"{self.model.model_name} has given vectors of {sizes[0]} and of {sizes[-1]} "
                "numbers: another model answers to this name than before. Keep it apart with "
                "store.dir=another/folder."
            )
        return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    def _side(self, side: str) -> Records:
        if side not in self._records:
            self._records[side] = self.store.records("vectors", [side, self.identity()])
        return self._records[side]


def _queries_of(model: BaseEmbedding) -> Callable[[list[str]], Vectors]:
    batch = getattr(model, "get_query_embedding_batch", None)
    return batch or (lambda queries: [model.get_query_embedding(query) for query in queries])
