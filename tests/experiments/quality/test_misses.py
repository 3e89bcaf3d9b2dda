"""Misses of spans and of documents are counted for the chunks that hold them."""

from types import SimpleNamespace

import numpy as np
import pytest
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from experiments.quality.misses import find_misses
from experiments.schema import Dataset, Document, Query, Span
from retrievers.ranking import Ranking

CHUNKS = [f"{document}#{place}" for document in "ab" for place in (0, 1)]
QUERIES = ("found", "missed", "blocked", "nothing")
GOLD = {"found": "a", "missed": "b", "blocked": "a", "nothing": "c"}


def node(name):
    document, _, place = name.partition("#")
    start = 10 * int(place)
    made = TextNode(id_=name, text="x" * 10, start_char_idx=start, end_char_idx=start + 10)
    made.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document)
    return made


def misses(spans):
    """The first chunk of each document is measured 1, the second 3; only a#1 is ever found."""
    documents = [Document(name, "x" * 20) for name in "abc"]
    dataset = Dataset(
        "set",
        documents,
        [Query(name, "?") for name in QUERIES],
        {query: {document: 1} for query, document in GOLD.items()},
        "f",
        spans={query: [Span(name, 12, 18)] for query, name in GOLD.items()} if spans else None,
    )
    outcome = SimpleNamespace(
        plans=dataset.queries,
        gate=SimpleNamespace(blocked=np.array([name == "blocked" for name in QUERIES])),
        ranked=Ranking.from_lists({name: ["a#1"] for name in QUERIES}, CHUNKS),
        ranking=Ranking.from_lists({name: ["a"] for name in QUERIES}, ["a", "b", "c"]),
    )
    nodes, columns = [node(name) for name in CHUNKS], {"size": np.array([1.0, 3, 1, 3])}
    return find_misses(dataset, outcome, nodes, columns, queries=QUERIES, k=1, seed=0)


@pytest.mark.parametrize(
    ("spans", "score", "wanted", "missed"),
    [
        (True, "span_recall@1", [0, 1, 0, 1], [0, 0, 0, 1]),
        (False, "ndcg@1", [1, 1, 1, 1], [0, 0, 1, 1]),
    ],
)
def test_a_span_is_missed_for_its_chunk_and_a_document_for_all_of_its_chunks(
    spans, score, wanted, missed
):
    found = misses(spans)
    assert (found.score, found.blocked, found.lost) == (score, 1, 1)
    assert found.wanted.tolist() == wanted
    assert found.missed.tolist() == missed
    relation = found.relations["size"]
    assert (relation.missed, relation.found) == (1, 1)
    assert "same value" in relation.skipped
