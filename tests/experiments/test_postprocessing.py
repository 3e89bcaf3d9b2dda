"""The order of postprocessors is checked, foreign ones run, and what parts note reaches the run."""

import pytest
from llama_index.core.postprocessor import LongContextReorder as TheirReorder
from llama_index.core.postprocessor import SimilarityPostprocessor

from experiments.chunkers import WholeDocuments
from experiments.datasets.science_sample import science_sample
from experiments.pipeline import Pipeline
from experiments.postprocessing import by_role, check_parts
from experiments.store import NoStore
from postprocessors.cross_encoder import CrossEncoder
from postprocessors.foreign import ForeignPostprocessor, ForeignReorder
from postprocessors.fuse import Fuse
from postprocessors.llm_rerank import LLMRerank
from postprocessors.long_context_reorder import LongContextReorder
from postprocessors.near_duplicates import NearDuplicates
from postprocessors.proximity import ProximityScorer
from postprocessors.top_k import TopK
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.enrich import NoEnrichment
from retrievers.fusion import Hybrid
from retrievers.gate import NoGate
from retrievers.queries import LastTurn
from tests.retrievers.stub_llm import LayerLLM

PARTS = {
    "filter": NearDuplicates(),
    "rerank": CrossEncoder(scorer=ProximityScorer()),
    "fuse": Fuse(weights={"bm25": 1.0, "rerank": 1.0}),
    "choose": LLMRerank(llm=LayerLLM(lambda prompt: "2")),
    "cut": TopK(),
    "reorder": LongContextReorder(),
}


def test_the_right_order_is_taken_and_the_reorder_stands_apart():
    ranking, reorders = by_role(PARTS)
    assert ranking == [*PARTS.values()][:-1]
    assert reorders == [PARTS["reorder"]]


@pytest.mark.parametrize(
    ("names", "right"),
    [
        (["fuse", "rerank"], "rerank,fuse"),
        (["cut", "choose", "fuse"], "fuse,choose,cut"),
        (["reorder", "cut"], "cut,reorder"),
        (["rerank", "filter"], "filter,rerank"),
    ],
)
def test_a_wrong_order_is_refused_with_the_right_one(names, right):
    with pytest.raises(ValueError, match=f"{names[0]} stands too early.*") as refusal:
        by_role({name: PARTS[name] for name in names})
    assert f"postprocessor=[{right}]" in str(refusal.value)
    assert "filter → rerank → fuse → select → cut → reorder" in str(refusal.value)


def test_foreign_parts_stand_anywhere_before_a_reorder():
    foreign = SimilarityPostprocessor(similarity_cutoff=0.1)
    for place in range(6):
        names = [*PARTS]
        names.insert(place, "theirs")
        ranking, _ = by_role({name: PARTS.get(name, foreign) for name in names})
        assert isinstance(ranking[place], ForeignPostprocessor)
    with pytest.raises(ValueError, match=r"reorder stands too early.*\[theirs,reorder\]"):
        by_role({"reorder": PARTS["reorder"], "theirs": foreign})
    _, reorders = by_role({"theirs": ForeignReorder(part=TheirReorder())})
    assert len(reorders) == 1


def test_what_is_no_postprocessor_is_refused():
    with pytest.raises(ValueError, match=r"postprocessor\.mine is str, which has no"):
        by_role({"mine": "top_k"})


@pytest.fixture(scope="module")
def dataset():
    return science_sample().load()


def outcome(dataset, postprocessors, **options):
    parts = {"bm25": BM25Retriever("unicode"), "char": CharTfidfRetriever()}
    pipeline = Pipeline(
        chunker=WholeDocuments(),
        enrich=NoEnrichment(),
        query=LastTurn(),
        retriever=Hybrid(parts, candidates=options.pop("candidates", 20)),
        gate=NoGate(),
        postprocessors=postprocessors,
        **options,
    )
    return pipeline.run(dataset, NoStore())


def test_the_pool_holds_what_every_part_found(dataset):
    told = outcome(dataset, {"cut": TopK(top_k=40)}, depth=20, pool=40)
    for name in ("bm25", "char"):
        table = told.retrieved.parts[name]
        assert ((table == table).sum(axis=1) <= 20).all()
    assert (told.retrieved.lengths() > 20).any()
    assert told.ranking.depth <= 20


def test_a_pool_below_the_depth_is_refused(dataset):
    with pytest.raises(ValueError, match="pool is 5 and depth is 20"):
        outcome(dataset, {}, depth=20, pool=5)


def test_every_candidate_of_the_pool_gets_a_reranker_score(dataset):
    rerank = CrossEncoder(scorer=ProximityScorer(["unicode"]))
    told = outcome(dataset, {"rerank": rerank}, depth=20, pool=40)
    listed = told.ranked.nodes >= 0
    assert (listed == (told.ranked.parts["rerank"] == told.ranked.parts["rerank"])).all()
    assert (told.ranked.lengths() == told.retrieved.lengths()).all()


def test_notes_and_foreign_parts_reach_the_outcome(dataset):
    choose = LLMRerank(llm=LayerLLM(lambda prompt: "no idea"))
    theirs = SimilarityPostprocessor(similarity_cutoff=-1e9)
    told = outcome(dataset, {"theirs": theirs, "choose": choose}, depth=20)
    assert any("answers unreadable" in note for note in told.notes)
    assert told.ranked.by_query() == told.retrieved.by_query()


def test_a_fuse_that_weighs_what_nobody_gives_is_refused_before_any_work():
    steps = [CrossEncoder(scorer=None, part="rerank"), Fuse(weights={"dense": 1.0, "rerank": 1.0})]
    check_parts(steps, ["dense", "bm25"])
    with pytest.raises(ValueError, match="weighs 'rerank', which no step gave"):
        check_parts(steps[::-1], ["dense"])
    with pytest.raises(ValueError, match="weighs 'dense', which no step gave"):
        check_parts(steps, ["bm25"])
