"""Planted losses: one gold passage is taken away at each stage, and that stage is named."""

from types import SimpleNamespace

import numpy as np
import pytest
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from experiments import gold_path
from experiments.candidates import document_ranking
from experiments.gold_path import DROPPED, LEFT_OUT, SHOWN, GoldPaths, gold_paths
from experiments.schema import Dataset, Document, Query, Span
from retrievers.ranking import Ranking

K = 3
DOCUMENTS = [f"d{number}" for number in range(12)]


def node(document, ordinal, start=0, end=10):
    return TextNode(
        id_=f"{document}#{ordinal}",
        text="text",
        start_char_idx=start,
        end_char_idx=end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)},
    )


NODES = [node(name, ordinal) for name in DOCUMENTS for ordinal in (0, 1)]


def chunks(*documents):
    return [f"{name}#{ordinal}" for name in documents for ordinal in (0, 1)]


def outcome(retrieved, ranked, *, blocked=False, nodes=NODES, depth=10):
    ids = [one.node_id for one in nodes]
    first, last = (Ranking.from_lists({"q": found}, ids) for found in (retrieved, ranked))
    scored = document_ranking(last, nodes, depth).without(np.array([blocked]))
    gate = SimpleNamespace(blocked=np.array([blocked]))
    return SimpleNamespace(
        nodes=nodes,
        gate=gate,
        retrieved=first,
        ranked=last.without(np.array([blocked])),
        ranking=scored,
    )


def dataset(gold="d0", **changes):
    parts = {"qrels": {"q": {gold: 1, "d9": 0}}, "fingerprint": "f", **changes}
    corpus = [Document(name, "x" * 40) for name in DOCUMENTS]
    return Dataset("planted", corpus, [Query("q", "?")], **parts)


def stage(made, data=None, k=K):
    return gold_paths(made, data or dataset(), ["q"]).stages(k)


OTHERS = DOCUMENTS[1:8]
FRONT, BACK = chunks("d0", *OTHERS), chunks(*OTHERS, "d0")
PLANTED = {
    gold_path.NOT_IN_CHUNK: outcome(
        chunks(*OTHERS), chunks(*OTHERS), nodes=[one for one in NODES if one.ref_doc_id != "d0"]
    ),
    gold_path.NOT_RETRIEVED: outcome(chunks(*OTHERS), chunks(*OTHERS)),
    gold_path.BLOCKED: outcome(FRONT, FRONT, blocked=True),
    gold_path.BELOW: outcome(BACK, BACK),
    gold_path.RERANKED_OUT: outcome(FRONT, BACK),
    gold_path.CUT: outcome(FRONT, chunks(*OTHERS)),
    gold_path.KEPT: outcome(BACK, FRONT),
}


@pytest.mark.parametrize("name", PLANTED)
def test_the_stage_that_lost_a_passage_is_named(name):
    assert stage(PLANTED[name]) == [name]


def test_a_document_that_the_corpus_does_not_have():
    assert stage(PLANTED[gold_path.KEPT], dataset("elsewhere")) == [gold_path.NOT_IN_CORPUS]


def test_a_passage_beyond_the_depth_of_the_ranking_is_below_it_and_not_cut():
    made = outcome(BACK, BACK, depth=3)
    assert gold_paths(made, dataset(), ["q"]).final == (0,)
    assert stage(made) == [gold_path.BELOW]


def test_ranks_count_documents_and_not_their_chunks():
    paths = gold_paths(outcome(BACK, FRONT), dataset(), ["q"])
    assert (paths.retrieved, paths.ranked, paths.final) == ((8,), (1,), (1,))
    assert paths.gold == ("d0",), "grade 0 is judged and not gold"


def test_the_earlier_of_two_losses_is_named():
    made = outcome(chunks(*OTHERS), chunks(*OTHERS), blocked=True)
    assert stage(made) == [gold_path.NOT_RETRIEVED]


def test_spans_are_lost_where_no_chunk_holds_half_of_them():
    nodes = [node("d0", 0, 0, 20), node("d0", 1, 20, 40)]
    spans = {"q": [Span("d0", 15, 25), Span("d0", 5, 10), Span("d0", 12, 32)]}
    data = dataset(qrels=None, spans=spans)
    made = outcome(["d0#1"], ["d0#1"], nodes=nodes)
    paths = gold_paths(made, data, ["q"])
    assert paths.gold == ("d0[15:25]", "d0[5:10]", "d0[12:32]")
    assert paths.stages(5) == [gold_path.KEPT, gold_path.NOT_RETRIEVED, gold_path.KEPT]
    halves = [node("d0", number, at, at + 5) for number, at in enumerate(range(0, 40, 5))]
    whole = dataset(qrels=None, spans={"q": [Span("d0", 0, 40)]})
    assert stage(outcome(["d0#1"], ["d0#1"], nodes=halves), whole) == [gold_path.NOT_IN_CHUNK]


def test_a_set_without_labels_has_no_paths():
    assert gold_paths(PLANTED[gold_path.KEPT], dataset(qrels=None), ["q"]) is None


def test_a_question_without_gold_has_no_path_and_none_is_no_error():
    paths = gold_paths(PLANTED[gold_path.KEPT], dataset(qrels={"q": {}}), ["q"])
    assert paths.query == ()
    assert paths.stages(3) == []


def path(**changes):
    kept = {"query": "q", "gold": "d0", "in_corpus": 1, "in_chunk": 1, "retrieved": 1}
    kept |= {"blocked": 0, "ranked": 1, "final": 1, "prompt": SHOWN, "used": 1, **changes}
    return GoldPaths(**{name: (value,) for name, value in kept.items()})


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, gold_path.KEPT),
        ({"used": -1}, gold_path.KEPT),
        ({"used": 0}, gold_path.UNUSED),
        ({"prompt": DROPPED}, gold_path.OVER_BUDGET),
        ({"final": 7, "retrieved": 7}, gold_path.KEPT),
        ({"final": 7, "retrieved": 7, "prompt": LEFT_OUT}, gold_path.BELOW),
        ({"final": 2, "retrieved": 2, "prompt": LEFT_OUT}, gold_path.BELOW),
        ({"final": 3, "retrieved": 1, "prompt": LEFT_OUT}, gold_path.RERANKED_OUT),
        ({"retrieved": -1, "ranked": -1, "final": 0, "prompt": -1}, gold_path.UNTOLD),
        ({"retrieved": -1, "ranked": -1, "final": 9, "prompt": -1}, gold_path.BELOW),
    ],
)
def test_prompts_and_foreign_rankings(changes, name):
    assert path(**changes).stages(K) == [name]


def test_it_comes_back_from_json():
    assert GoldPaths.from_json(path().to_json()) == path()
