"""Chunks that end where the text turns to something else, as an embedding sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SemanticSplitterNodeParser
from llama_index.core.node_parser.node_utils import build_nodes_from_splits
from llama_index.core.node_parser.text.semantic_splitter import SentenceCombination
from llama_index.core.schema import BaseNode, MetadataMode

from experiments.chunkers import Offsets, Sentences, advancing, stripped
from generation.progress import progress
from retrievers.dense import FittedEmbedding
from retrievers.sentences import split_sentences
from retrievers.tokens import tokens_of

BLOCK = 2_048
"""Groups of sentences that are embedded at once."""

_DIGITS = 6  # single-precision vectors say no more of a distance


class Semantic(SemanticSplitterNodeParser):
    """`chunker=semantic`: LlamaIndex's SemanticSplitterNodeParser, with Korean sentences, offsets
    and a largest size.

    Each sentence is embedded with `buffer_size` neighbours on either side. A chunk ends where the
    cosine distance to the next group is above the document's own
    `breakpoint_percentile_threshold`: at 95 a document of n sentences gets about n/20 + 1 chunks.
    Below 100, one of three sentences or more is cut, whether it changes its subject or not, unless
    its largest distances are equal; one of two never is. Smaller numbers give more chunks. A chunk
    of more than `chunk_size` tokens is packed anew as `chunker=sentence` does, without overlap.

    embed_model: any embedding. A `FittedEmbedding` is copied and fitted on the sentences of all
        texts that are cut together. A group that it knows nothing of (the zero vector) is at
        distance 0 from its neighbours, so no chunk ends there.
    The method is Kamradt's (5 Levels of Text Splitting, 2023).
    """

    chunk_size: int
    encoding: str

    def __init__(
        self,
        embed_model: BaseEmbedding,
        *,
        buffer_size: int = 1,
        breakpoint_percentile_threshold: int = 95,
        chunk_size: int = 512,
        encoding: str = "o200k_base",
    ) -> None:
        _check(buffer_size, breakpoint_percentile_threshold, chunk_size)
        super().__init__(  # type: ignore[call-arg]
            embed_model=embed_model,
            buffer_size=buffer_size,
            breakpoint_percentile_threshold=breakpoint_percentile_threshold,
            sentence_splitter=split_sentences,
            chunk_size=chunk_size,
            encoding=encoding,
        )

    def spans(self, text: str) -> Offsets:
        """The characters of each chunk of one text, of which alone an embedding is fitted."""
        return self.spans_many([text])[0]

    def spans_many(self, texts: Sequence[str]) -> list[Offsets]:
        """The characters of each chunk of each text."""
        groups = [self._build_sentence_groups(split_sentences(text)) for text in texts]
        self._embed(groups)
        packer = Sentences(chunk_size=self.chunk_size, encoding=self.encoding)
        return [
            advancing(self._spans(text, own, packer))
            for text, own in zip(texts, groups, strict=True)
        ]

    def _spans(
        self, text: str, groups: list[SentenceCombination], packer: Sentences
    ) -> Iterator[tuple[int, int]]:
        distances = self._calculate_distances_between_sentence_groups(groups)
        chunks = self._build_node_chunks(groups, distances)
        for start, end in pairwise(accumulate(map(len, chunks), initial=0)):
            piece = text[start:end]
            if len(tokens_of(self.encoding, piece)) > self.chunk_size:
                yield from ((start + a, start + b) for a, b in packer.spans(piece))
            else:
                yield stripped(text, start, end)

    def _embed(self, texts: Sequence[list[SentenceCombination]]) -> None:
        """Give every group of sentences its vector."""
        groups = [group for own in texts for group in own if group["sentence"].strip()]
        model = self.embed_model
        if isinstance(model, FittedEmbedding):
            model = deepcopy(model)  # a retriever may share it, and fits it on other texts
            model.embed_batch_size = BLOCK
            model.fit([group["sentence"] for group in groups])
        blocks = [groups[start : start + BLOCK] for start in range(0, len(groups), BLOCK)]
        for block in progress(blocks, f"embedding {len(groups)} groups of sentences"):
            vectors = model.get_text_embedding_batch([g["combined_sentence"] for g in block])
            for group, vector in zip(block, vectors, strict=True):
                # An array: lists of a large corpus would take eight times the memory.
                array = np.asarray(vector, dtype=np.float32)
                group["combined_sentence_embedding"] = array  # type: ignore[typeddict-item]

    def _calculate_distances_between_sentence_groups(
        self, sentences: list[SentenceCombination]
    ) -> list[float]:
        """Cosine distances of neighbours; LlamaIndex's own are NaN beside a zero vector."""
        if len(sentences) < 2:
            return []
        vectors = np.stack([group["combined_sentence_embedding"] for group in sentences])
        norms = np.linalg.norm(vectors.astype(np.float64), axis=1)
        alive = (norms[:-1] > 0) & (norms[1:] > 0)
        products = (vectors[:-1] * vectors[1:]).sum(axis=1, dtype=np.float64)
        cosines = products / np.where(alive, norms[:-1] * norms[1:], 1.0)
        return np.where(alive, 1 - cosines, 0.0).round(_DIGITS).tolist()  # type: ignore[no-any-return]

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any
    ) -> list[BaseNode]:
        texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        return [
            chunk
            for node, text, spans in zip(nodes, texts, self.spans_many(texts), strict=True)
            for chunk in build_nodes_from_splits(
                [text[start:end] for start, end in spans], node, id_func=self.id_func
            )
        ]

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any
    ) -> list[BaseNode]:
        return self._parse_nodes(nodes)


def _check(buffer_size: int, percentile: int, chunk_size: int) -> None:
    whole = all(isinstance(value, int) for value in (buffer_size, percentile, chunk_size))
    if not (whole and buffer_size >= 0 and 0 <= percentile <= 100 and chunk_size > 0):
        raise ValueError(
            f"buffer_size={buffer_size}, breakpoint_percentile_threshold={percentile} and "
            f"chunk_size={chunk_size} do not fit: whole numbers are wanted, at least 0, from 0 to "
            "100, and at least 1."
        )
