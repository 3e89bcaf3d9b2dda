"""What the measures read: the sentences of every chunk and the terms of every sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from llama_index.core.schema import BaseNode, MetadataMode
from numpy.typing import NDArray

from retrievers.analyzers import analyzer
from retrievers.sentences import split_sentences


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The sentences of n chunks, chunk by chunk, s in all.

    chunk_ids: the n ids, in corpus order.
    documents: the document of each chunk, [n]; its own id where a chunk knows none.
    sentences: s texts without the blanks around them; none is empty.
    terms: the analysed terms of each sentence, [s].
    owners: int32 [s], the chunk (0 to n-1) of each sentence, ascending; a chunk without text has
        none.
    analyzer: the name of the analyzer that gave the terms, "" where it is not known.
    morphemes: int32 [s], morphemes of each sentence; empty where they were not counted.
    """

    chunk_ids: tuple[str, ...]
    documents: tuple[str, ...]
    sentences: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    owners: NDArray[np.int32]
    analyzer: str = ""
    morphemes: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))


def read(nodes: Sequence[BaseNode], terms: str = "auto") -> Reading:
    """Split the chunks' own text (no title, no metadata) and analyse it.

    terms: the name of the analyzer (see `retrievers.analyzers`).
    """
    texts = [text_of(node) for node in nodes]
    split = [[s.strip() for s in split_sentences(text) if s.strip()] for text in texts]
    sentences = tuple(sentence for several in split for sentence in several)
    owners = np.repeat(np.arange(len(nodes), dtype=np.int32), [len(several) for several in split])
    return Reading(
        chunk_ids=tuple(node.node_id for node in nodes),
        documents=tuple(getattr(node, "ref_doc_id", None) or node.node_id for node in nodes),
        sentences=sentences,
        terms=tuple(map(tuple, analyzer(terms).analyze_many(sentences))),
        owners=owners,
        analyzer=terms,
        morphemes=np.zeros(len(sentences), dtype=np.int32),
    )


def text_of(node: BaseNode) -> str:
    """The chunk's own text, without title and metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)
