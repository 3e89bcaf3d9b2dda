"""What the measures read: the sentences of every chunk and the terms of every sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from sys import intern

import numpy as np
from llama_index.core.schema import BaseNode, MetadataMode
from numpy.typing import NDArray

from retrievers.analyzers import Analyzer, HangulAnalyzer, analyzer, clean
from retrievers.sentences import Sentence, has_word, read_sentences


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
    reads = analyzer(terms)
    split = read_sentences([text_of(node) for node in nodes])
    worded = [[s for s in several if has_word(s.text)] for several in split]
    sentences = [*chain.from_iterable(worded)]
    return Reading(
        chunk_ids=tuple(node.node_id for node in nodes),
        documents=tuple(getattr(node, "ref_doc_id", None) or node.node_id for node in nodes),
        sentences=tuple(sentence.text.strip() for sentence in sentences),
        terms=tuple(tuple(map(intern, found)) for found in _terms(sentences, reads)),
        owners=np.repeat(np.arange(len(nodes), dtype=np.int32), [*map(len, worded)]),
        analyzer=terms,
        morphemes=np.array([sentence.units for sentence in sentences], dtype=np.int32),
    )


def _terms(sentences: Sequence[Sentence], reads: Analyzer) -> Iterator[Iterable[str]]:
    if isinstance(reads, HangulAnalyzer):
        for sentence in sentences:
            yield chain(sentence.hangul_terms, reads.other_terms(clean(sentence.text)))
    else:
        yield from reads.analyze_many([sentence.text for sentence in sentences])


def text_of(node: BaseNode) -> str:
    """The chunk's own text, without title and metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)
