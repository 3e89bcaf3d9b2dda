"""Chunks, terms and strings come back from the store as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import (
    IndexNode,
    MediaResource,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)

from experiments.chunking import chunk
from experiments.schema import Document
from experiments.stage_files import (
    load_chunks,
    load_strings,
    load_terms,
    save_chunks,
    save_strings,
    save_terms,
)
from experiments.store import NotStorableError, Store
from retrievers.base import indexed_text
from retrievers.enrich import TitlePrefix

METADATA = {"src": "x", "n": 1, "deep": {"a": [1]}}
DOCUMENTS = [
    Document("d1", "물은 100 °C에서 끓는다.\u2028다음 줄", "제목", METADATA),
    Document("d2", "lone \ud800 surrogate", "", {"src": None}),
]
texts = st.text(st.characters(), max_size=20)  # lone surrogates and NUL included


@pytest.fixture
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("stage")


@given(values=st.lists(texts, max_size=8))
def test_strings_come_back(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("strings")
    save_strings(values, folder, "s")
    assert load_strings(folder, "s") == values


@given(terms=st.lists(st.lists(texts, max_size=5), max_size=5))
def test_terms_come_back(tmp_path_factory, terms):
    folder = tmp_path_factory.mktemp("terms")
    save_terms(terms, folder)
    assert load_terms(folder) == terms


@pytest.mark.parametrize("enriched", [False, True])
def test_chunks_come_back_equal_in_every_field(folder, enriched):
    nodes = chunk(DOCUMENTS)
    nodes = TitlePrefix().enrich(nodes) if enriched else nodes
    save_chunks(nodes, folder)
    loaded = load_chunks(folder)
    assert [node.model_dump() for node in loaded] == [node.model_dump() for node in nodes]
    assert [indexed_text(node) for node in loaded] == [indexed_text(node) for node in nodes]
    assert [node.hash for node in loaded] == [node.hash for node in nodes]


def test_links_between_chunks_come_back(folder):
    other = RelatedNodeInfo(node_id="b", metadata={"k": 1}, hash="h")
    links = {NodeRelationship.NEXT: other, NodeRelationship.CHILD: [other, other]}
    node = TextNode(id_="a", text="x", relationships=links, embedding=[0.1, 1 / 3])
    save_chunks([node], folder)
    assert load_chunks(folder) == [node]


def test_no_chunks_are_no_chunks(folder):
    save_chunks([], folder)
    assert load_chunks(folder) == []


def test_loaded_chunks_share_nothing_that_can_change(folder):
    same = [TextNode(id_=name, text="x", metadata={"k": ["v"]}) for name in "ab"]
    save_chunks(same, folder)
    first, second = load_chunks(folder)
    first.metadata["k"].append("w")
    first.excluded_embed_metadata_keys.append("k")
    assert second == same[1]


@pytest.mark.parametrize(
    "node",
    [
        TextNode(id_="a", text="x", metadata={"t": (1, 2)}),
        TextNode(id_="a", text="x", metadata={"t": np.float64}),
        TextNode(id_="a", text="x", metadata={"t": {1: "number as key"}}),
        IndexNode(id_="a", text="x", index_id="i"),
        Node(id_="a", text_resource=MediaResource(text="x")),
    ],
)
def test_what_files_cannot_give_back_is_not_stored(tmp_path, folder, node):
    with pytest.raises(NotStorableError):
        save_chunks([node], folder)
    store, calls = Store(tmp_path), []

    def build():
        calls.append(1)
        return [node]

    for _ in range(2):
        with pytest.warns(UserWarning, match="made anew"):
            assert store.remember("chunks", "k", build, save_chunks, load_chunks) == [node]
    assert len(calls) == 2
    assert not list(tmp_path.rglob("*.tmp"))
