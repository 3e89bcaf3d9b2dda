"""What is searched of a chunk under each enrichment."""

from __future__ import annotations

import pytest
from llama_index.core.schema import MetadataMode, TextNode

from experiments.chunking import chunk
from experiments.schema import Document
from retrievers.base import indexed_text
from retrievers.enrich import NoEnrichment, TitlePrefix


@pytest.fixture
def nodes() -> list[TextNode]:
    documents = [
        Document("a", "It floats.", "Ice", {"src": "book"}),
        Document("b", "It burns.", " ", {"src": "web"}),
    ]
    return chunk(documents)


def test_the_title_is_searched_before_the_text_or_not_at_all(nodes: list[TextNode]) -> None:
    assert [indexed_text(n) for n in TitlePrefix().enrich(nodes)] == [
        "Ice\nIt floats.",
        "It burns.",
    ]
    assert [indexed_text(n) for n in NoEnrichment().enrich(nodes)] == ["It floats.", "It burns."]


@pytest.mark.parametrize("part", [TitlePrefix(), NoEnrichment()])
def test_nothing_but_the_searched_text_changes(
    part: TitlePrefix | NoEnrichment, nodes: list[TextNode]
) -> None:
    before = [node.to_dict() for node in nodes]
    for old, new in zip(nodes, part.enrich(nodes), strict=True):
        assert (new.node_id, new.ref_doc_id, new.metadata) == (
            old.node_id,
            old.ref_doc_id,
            old.metadata,
        )
        prompted = MetadataMode.LLM
        assert new.get_content(metadata_mode=prompted) == old.get_content(metadata_mode=prompted)
    assert [node.to_dict() for node in nodes] == before


def test_an_enrichment_undoes_another(nodes: list[TextNode]) -> None:
    again = TitlePrefix().enrich(NoEnrichment().enrich(nodes))
    assert [indexed_text(node) for node in again] == ["Ice\nIt floats.", "It burns."]


def test_nodes_of_another_origin_keep_their_own_template() -> None:
    found = [
        TextNode(text="Body.", metadata={"title": "Title", "source": "x"}),
        TextNode(text="Body.", metadata={"title": ""}),
        TextNode(text="Body."),
    ]
    searched = [indexed_text(node) for node in TitlePrefix().enrich(found)]
    assert searched == ["title: Title\n\nBody.", "Body.", "Body."]
    assert [indexed_text(node) for node in NoEnrichment().enrich(found)] == ["Body."] * 3
