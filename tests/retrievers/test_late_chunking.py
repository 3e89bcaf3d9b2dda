"""Vectors of chunks that were read with their document; all else is as it was."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from experiments.chunkers import Sentences
from experiments.chunking import chunk
from experiments.mistakes import USER_MISTAKE, explain
from experiments.schema import Document
from retrievers.base import indexed_text
from retrievers.bm25 import BM25Retriever
from retrievers.dense import DenseRetriever
from retrievers.late_chunking import LateChunkingRetriever
from retrievers.lsa import LsaEmbedding
from retrievers.ranking import EVERY_PART, QueryPlan

CONF = Path(__file__).parents[2] / "conf"
WORDS = ["berlin", "rome", "city", "it", "river"]
DOCUMENTS = [
    Document("b", "Berlin is a city. It has a river. It is large."),
    Document("r", "Rome is a city. It has a river. It is old."),
    Document("e", "!!! ??? ..."),
]


class Neighbourly(BaseEmbedding):
    """Each token is itself and, by half, every word of its document: a model of attention."""

    seen: list[str] = []  # noqa: RUF012

    def token_embeddings(self, text):
        self.seen.append(text)
        tokens = list(re.finditer(r"city|river|\w+", text))
        own = np.array([self._one(token[0]) for token in tokens]).reshape(-1, len(WORDS))
        spans = np.array([token.span() for token in tokens], dtype=int).reshape(-1, 2)
        return (own + 0.5 * own.mean(axis=0) if len(own) else own), spans

    def _one(self, word):
        return [float(word.casefold() == known) for known in WORDS]

    def _sum(self, words):
        return np.array([self._one(word) for word in [*words, ""]]).sum(axis=0).tolist()

    def _get_text_embedding(self, text):
        return self._sum(re.findall(r"\w+", text))

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query):
        return self._get_query_embedding(query)


@pytest.fixture
def nodes():
    return chunk(DOCUMENTS, Sentences(chunk_size=6, chunk_overlap=0))


def ranked(retriever, query):
    return retriever.retrieve_many([QueryPlan("q", {EVERY_PART: (query,)})], 20)


def test_a_chunk_is_found_by_what_only_its_document_says(nodes) -> None:
    plain, late = DenseRetriever(Neighbourly()), LateChunkingRetriever(Neighbourly())
    plain.build(nodes)
    late.build(nodes)
    river = next(node.node_id for node in nodes if node.ref_doc_id == "b" and "river" in node.text)
    other = next(node.node_id for node in nodes if node.ref_doc_id == "r" and "river" in node.text)
    scores = [
        dict(zip(r.ids(0), r.scores[0], strict=False))
        for r in map(ranked, (plain, late), ["berlin"] * 2)
    ]
    assert scores[0][river] == scores[0][other] == 0
    assert scores[1][river] > scores[1][other] == 0
    assert not any(name.startswith("e#") for name in scores[1])


def test_a_vector_is_the_mean_of_the_tokens_in_the_chunk(nodes) -> None:
    model = Neighbourly(seen=[])
    late = LateChunkingRetriever(model)
    late.build(nodes)
    assert [text.split() for text in model.seen] == [one.text.split() for one in DOCUMENTS]
    vectors, spans = model.token_embeddings(model.seen[0])
    first = nodes[0]
    inside = [row for row, (start, end) in enumerate(spans) if end <= first.end_char_idx]
    expected = vectors[inside].mean(axis=0)
    np.testing.assert_allclose(late._vectors[0], expected / np.linalg.norm(expected), rtol=1e-6)


def test_a_token_beside_a_cut_belongs_to_its_own_chunk_alone() -> None:
    document = "cityriver"
    pieces = [(0, 4), (4, 9)]
    nodes = [
        TextNode(
            text=document[start:end],
            start_char_idx=start,
            end_char_idx=end,
            id_=f"d#{start}",
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d")},
        )
        for start, end in pieces
    ]
    late = LateChunkingRetriever(Neighbourly(seen=[]))
    late.build(nodes)
    strongest = late._vectors.argmax(axis=1)
    assert [WORDS[place] for place in strongest] == ["city", "river"]
    tokens, _ = late.embedding.token_embeddings(document)
    np.testing.assert_allclose(
        late._vectors, tokens / np.linalg.norm(tokens, axis=1)[:, None], 1e-6
    )


def test_texts_and_keyword_scores_are_the_same_before_and_after(nodes) -> None:
    def keywords():
        retriever = BM25Retriever()
        retriever.build(nodes)
        return ranked(retriever, "city river").scores

    before = keywords(), [indexed_text(node) for node in nodes], [node.to_dict() for node in nodes]
    LateChunkingRetriever(Neighbourly()).build(nodes)
    np.testing.assert_array_equal(keywords(), before[0])
    assert [indexed_text(node) for node in nodes] == before[1]
    assert [node.to_dict() for node in nodes] == before[2]


def test_an_index_is_the_same_after_a_save_and_empty_input_finds_nothing(nodes, tmp_path: Path):
    late = LateChunkingRetriever(Neighbourly())
    late.build(nodes)
    late.save(tmp_path)
    again = LateChunkingRetriever(Neighbourly())
    again.attach(nodes)
    again.load(tmp_path)
    assert ranked(again, "rome it").by_query() == ranked(late, "rome it").by_query()
    late.build([])
    assert ranked(late, "rome").ids(0) == []


def test_without_the_library_the_preset_names_the_extra(nodes, monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose(overrides=["+retriever=late_chunking"])
    retriever = instantiate(config.retriever, _convert_="all")
    with pytest.raises(ImportError) as missing:
        retriever.build(nodes)
    assert explain(missing.value, []) == USER_MISTAKE
    assert "needs the package torch" in (said := capsys.readouterr().err)
    assert "'.[torch]'" in said


def test_an_embedding_without_token_vectors_is_a_mistake(nodes) -> None:
    with pytest.raises(ValueError, match="LsaEmbedding has none"):
        LateChunkingRetriever(LsaEmbedding()).build(nodes)
