"""Which of a chunk's metadata is searched with its text. Nodes in, new nodes out."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.schema import BaseNode

TITLE = "title"
"""The key under which a chunk carries its document's title, where it has one."""


class TitlePrefix:
    """Every chunk is searched with its document's title; other metadata is not.

    How title and text stand together is for the node's own templates to say: those of
    `experiments.chunking` put the title on a line of its own before the text.
    """

    def enrich(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        """Copies that share all but the list of hidden keys with `nodes`."""
        return [searched_with(node, {TITLE}) for node in nodes]


class NoEnrichment:
    """Every chunk is searched by its own text alone."""

    def enrich(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        """Copies that share all but the list of hidden keys with `nodes`."""
        return [searched_with(node, set()) for node in nodes]


def searched_with(node: BaseNode, keys: set[str]) -> BaseNode:
    """A copy that is searched with those of its metadata that say something, and no other."""
    shown = {key for key in keys if str(node.metadata.get(key, "")).strip()}
    hidden = [key for key in node.metadata if key not in shown]
    return node.model_copy(update={"excluded_embed_metadata_keys": hidden})
