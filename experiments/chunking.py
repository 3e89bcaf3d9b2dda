"""Documents in, chunks out: LlamaIndex nodes with stable ids and exact character offsets."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.schema import Document as LlamaDocument

from experiments.chunkers import CorpusSplitter, SpanSplitter, WholeDocuments
from experiments.offsets import locate
from experiments.schema import Document, Span
from retrievers.enrich import TITLE

logger = logging.getLogger(__name__)


class _Piece(NamedTuple):
    start: int
    end: int
    metadata: Mapping[str, Any]


def chunk(documents: Sequence[Document], parser: NodeParser | None = None) -> list[TextNode]:
    """The chunks of all documents, in their order.

    parser: any LlamaIndex node parser; None leaves documents whole, as `WholeDocuments` does.
        It sees the text alone, so that metadata never counts against its chunk size.

    A chunk's id is `document#ordinal`, from 0; a document left whole keeps its own id.
    `start_char_idx` and `end_char_idx` are characters [start, end) of the document's text, and
    the text there is the chunk's. `ref_doc_id` is the document. To embed or to prompt, the text
    stands below the document's title, if it has one; other metadata is kept but not searched.
    Documents of blanks alone give no chunk and are counted in the log.
    Raises ValueError: the parser changed the text, so that a chunk is not in its document.
    """
    parser = parser or WholeDocuments()
    whole = isinstance(parser, WholeDocuments)
    nodes: list[TextNode] = []
    written = [document for document in documents if document.text.strip()]
    for document, pieces in zip(written, _all_pieces(written, parser), strict=True):
        for ordinal, piece in enumerate(pieces):
            name = document.id if whole else f"{document.id}#{ordinal}"
            nodes.append(_node(name, document, piece))
    if blank := len(documents) - len(written):
        logger.warning("Documents without text, which give no chunk: %d.", blank)
    return nodes


def span_of(node: BaseNode) -> Span:
    """The characters of its document that a chunk is.

    Raises ValueError for a node that does not know its document or its offsets.
    """
    if not isinstance(node, TextNode) or node.ref_doc_id is None:
        raise ValueError(f"The node {node.node_id} does not know its document.")
    if node.start_char_idx is None or node.end_char_idx is None:
        raise ValueError(f"The node {node.node_id} does not know its character offsets.")
    return Span(node.ref_doc_id, node.start_char_idx, node.end_char_idx)


def _all_pieces(documents: Sequence[Document], parser: NodeParser) -> Iterator[list[_Piece]]:
    if isinstance(parser, CorpusSplitter):
        for spans in parser.spans_many([document.text for document in documents]):
            yield [_Piece(start, end, {}) for start, end in spans]
    else:
        yield from (_pieces(document, parser) for document in documents)


def _pieces(document: Document, parser: NodeParser) -> list[_Piece]:
    if isinstance(parser, SpanSplitter):
        return [_Piece(start, end, {}) for start, end in parser.spans(document.text)]
    source = LlamaDocument(id_=document.id, text=document.text)
    found = [
        (node.get_content(metadata_mode=MetadataMode.NONE), node.metadata)
        for node in parser.get_nodes_from_documents([source])
    ]
    found = [(text, metadata) for text, metadata in found if text.strip()]
    try:
        spans = locate(document.text, [text for text, _ in found])
    except ValueError as error:
        raise ValueError(f'{type(parser).__name__}, document "{document.id}": {error}') from error
    return [_Piece(*span, metadata) for span, (_, metadata) in zip(spans, found, strict=True)]


def _node(name: str, document: Document, piece: _Piece) -> TextNode:
    metadata = {**document.metadata, **piece.metadata}
    hidden = [key for key in metadata if key != TITLE]
    if document.title.strip():
        metadata[TITLE] = document.title
    else:
        metadata.pop(TITLE, None)
    return TextNode(
        id_=name,
        text=document.text[piece.start : piece.end],
        start_char_idx=piece.start,
        end_char_idx=piece.end,
        metadata=metadata,
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
        metadata_template="{value}",
        text_template="{metadata_str}\n{content}",
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document.id)},
    )
