"""What is searched besides a chunk's own text. Nodes in, new nodes out."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.schema import BaseNode, TextNode

TITLE = "title"


class TitlePrefix:
    """Every chunk is searched with its document's title before it; other metadata is not."""

    def enrich(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        return [_searched_with(node, {TITLE}) for node in nodes]


class NoEnrichment:
    """Every chunk is searched by its own text alone."""

    def enrich(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        return [_searched_with(node, set()) for node in nodes]


def _searched_with(node: BaseNode, keys: set[str]) -> BaseNode:
    """A copy whose embedded text is the values of `keys`, a line each, and then its own text."""
    copy = node.model_copy(deep=True)
    copy.excluded_embed_metadata_keys = [
        key for key in copy.metadata if key not in keys or not str(copy.metadata[key]).strip()
    ]
    copy.metadata_template = "{value}"
    copy.metadata_separator = "\n"
    if isinstance(copy, TextNode):
        copy.text_template = "{metadata_str}\n{content}"
    return copy
