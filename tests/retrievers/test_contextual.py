"""A note is searched with its chunk, and nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import MetadataMode, TextNode

from experiments.chunkers import FixedTokens, Sentences
from experiments.chunking import chunk
from experiments.schema import Document
from retrievers.base import indexed_text
from retrievers.bm25 import BM25Retriever
from retrievers.contextual import CONTEXT, Contextual, Excerpt
from retrievers.ranking import EVERY_PART, QueryPlan

DOCUMENTS = [
    Document("a", "It floats on water. It is cold.\n\nIt melts at zero degrees.", "Ice"),
    Document("b", "It burns. It is hot.", "", {"src": "web", "context": "mine"}),
]


class Noted:
    """A writer whose notes are a function; it keeps what it was asked."""

    def __init__(self, note) -> None:
        self.note = note
        self.asked: list[Excerpt] = []

    def write(self, excerpts: Sequence[Excerpt]) -> list[str | None]:
        self.asked += excerpts
        return [self.note(one) for one in excerpts]


@pytest.fixture
def nodes() -> list[TextNode]:
    return chunk(DOCUMENTS, Sentences(chunk_size=6, chunk_overlap=0))


def test_note_and_chunk_are_searched_and_the_chunk_alone_is_shown(nodes) -> None:
    before = [node.to_dict() for node in nodes]
    part = Contextual(Noted(lambda one: f"part {one.place} of {one.title or 'fire'}"))
    enriched = part.enrich(nodes)
    assert len(nodes) > 4
    for old, new in zip(nodes, enriched, strict=True):
        assert indexed_text(new) == f"{new.metadata[CONTEXT]}\n{old.text}"
        assert (new.node_id, new.text, new.start_char_idx, new.ref_doc_id) == (
            old.node_id,
            old.text,
            old.start_char_idx,
            old.ref_doc_id,
        )
        shown = MetadataMode.LLM
        assert new.get_content(metadata_mode=shown) == old.get_content(metadata_mode=shown)
        assert {**new.metadata, CONTEXT: None} == {**old.metadata, CONTEXT: None}
    assert [node.to_dict() for node in nodes] == before
    retriever = BM25Retriever()
    retriever.build(enriched)
    ranking = retriever.retrieve_many([QueryPlan("q", {EVERY_PART: ("fire",)})], 9)
    found = {ranking.node_ids[row] for row in ranking.nodes[0] if row >= 0}
    assert found == {node.node_id for node in nodes if node.ref_doc_id == "b"}


def test_a_chunk_without_a_note_is_searched_by_its_text_and_counted(nodes) -> None:
    part = Contextual(Noted(lambda one: None if one.place == 2 else "same"))
    enriched = part.enrich(nodes)
    lost = part.unfinished(enriched)
    assert lost == ["a#1", "b#1"]
    assert [indexed_text(n) for n in enriched if n.node_id in lost] == [
        n.text for n in nodes if n.node_id in lost
    ]
    said = part.notes_on(enriched)
    assert said[0].startswith(f"enrich: 2 of {len(nodes)} chunks have no note")
    assert "the same" in said[1]
    assert part.notes_on(Contextual(Noted(lambda one: str(one.start))).enrich(nodes)) == []


def test_an_empty_note_is_one_and_adds_nothing(nodes) -> None:
    part = Contextual(Noted(lambda one: ""))
    enriched = part.enrich(nodes)
    assert part.unfinished(enriched) == []
    assert [indexed_text(node) for node in enriched] == [node.text for node in nodes]


def test_documents_follow_one_another_though_their_chunks_are_mixed(nodes) -> None:
    writer = Noted(lambda one: one.text.upper())
    mixed = nodes[::2] + nodes[1::2][::-1]
    enriched = Contextual(writer).enrich(mixed)
    assert [node.metadata[CONTEXT] for node in enriched] == [node.text.upper() for node in mixed]
    places = [(one.title, one.place) for one in writer.asked]
    assert places == sorted(places, key=lambda pair: (pair[0] == "", pair[1]))


def test_nodes_without_places_make_a_document_of_their_own_order() -> None:
    writer = Noted(lambda one: "x")
    assert Contextual(writer).enrich([]) == []
    Contextual(writer).enrich([TextNode(text="One.", id_="1"), TextNode(text="Two.", id_="2")])
    assert [one.document for one in writer.asked] == ["One.", "Two."]


TEXTS = st.text(st.sampled_from("ab. \n한글é😀"), min_size=1, max_size=120)


@given(TEXTS, st.integers(1, 12), st.booleans())
def test_every_chunk_stands_at_its_place_in_the_document_its_chunks_tell(text, size, shared):
    overlap = size // 3 if shared else 0
    nodes = chunk([Document("d", text)], FixedTokens(chunk_size=size, chunk_overlap=overlap))
    writer = Noted(lambda one: "x")
    Contextual(writer).enrich(nodes)
    for one in writer.asked:
        assert one.document[one.start : one.start + len(one.text)] == one.text
    if writer.asked:
        assert writer.asked[0].document.split() == text.split()
