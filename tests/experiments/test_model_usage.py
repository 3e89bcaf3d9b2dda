"""What a run says of the models it asked, and that a run with failed calls is not kept."""

from __future__ import annotations

from itertools import count

import pytest
from hydra.utils import instantiate
from omegaconf import open_dict

from experiments.building import check_options
from experiments.comparison import _measures
from experiments.evaluation import Evaluator
from experiments.judging import judge
from experiments.model_usage import UsageMeter
from experiments.pipeline import Pipeline
from experiments.schema import Dataset, Document, Query, Turn
from experiments.setting import Setting
from experiments.splits import Split
from experiments.store import NoStore, Store
from generation.llm import StoredLLM
from generation.retry import Retry
from generation.tally import StageUsage
from retrievers.bm25 import BM25Retriever
from retrievers.enrich import NoEnrichment
from retrievers.gate import NoGate
from retrievers.llm_gate import LLMGate
from retrievers.rewriting import Hyde, Standalone
from tests.generation.stub_llm import StatusError, StubLLM
from tests.test_config import composed

NAMES = (f"usage-{number}" for number in count())
DATASET = Dataset(
    "small",
    [Document("d1", "water is wet"), Document("d2", "light is a wave")],
    [Query("q1", "Why?", (Turn("user", "Is water wet?"),)), Query("q2", "What is light?")],
    {"q1": {"d1": 1}, "q2": {"d2": 1}},
    fingerprint="small",
)
SPLIT = Split(("q1", "q2"), ("q1", "q2"), ())


def layer(failures=(), store=None, **options) -> StoredLLM:
    llm = StubLLM(lambda _: "water", failures=list(failures), model=next(NAMES))
    retry = Retry(attempts=2, first_wait=0.0)
    return StoredLLM(llm=llm, store=store or NoStore(), retry=retry, **options)


def pipeline(query, gate=None) -> Pipeline:
    return Pipeline(
        chunker=None,
        enrich=NoEnrichment(),
        query=query,
        retriever=BM25Retriever(),
        gate=gate or NoGate(),
        depth=2,
    )


def setting(store) -> Setting:
    return Setting(
        dataset=None,
        metrics=Evaluator("map@2"),
        split=None,
        tracker=None,
        submission=None,
        store=store,
        folder="",
    )


def test_an_outcome_counts_calls_by_stage_and_says_so() -> None:
    gate = LLMGate(layer())
    outcome = pipeline(Hyde(layer(), of=Standalone(layer())), gate).run(DATASET, NoStore())
    assert {stage: usage.made for stage, usage in outcome.usage.items()} == {
        "standalone": 1,
        "hyde": 2,
        "gate": 2,
    }
    assert any(note.startswith("hyde: 2 answers asked for") for note in outcome.notes)
    assert any("got no verdict" in note for note in outcome.notes)


def test_a_pipeline_without_a_model_says_nothing() -> None:
    outcome = pipeline(instantiate(composed().query)).run(DATASET, NoStore())
    assert outcome.usage == {}
    assert outcome.notes == ()


def test_a_second_pipeline_is_not_charged_for_the_first() -> None:
    part = Hyde(layer())
    first, second = (pipeline(part).run(DATASET, NoStore()).usage["hyde"] for _ in range(2))
    assert (first.asked, first.made, first.stored) == (2, 2, 0)
    assert (second.asked, second.made, second.stored) == (2, 0, 2)
    assert (len(first.seconds), len(second.seconds)) == (2, 0)


def test_two_models_of_one_stage_are_added_up() -> None:
    parts = {"a": Hyde(layer()), "b": Hyde(layer())}
    meter = UsageMeter(parts)
    for part in parts.values():
        part.plan(DATASET.queries)
    assert meter.read()["hyde"].made == 4
    assert meter.read()["hyde"].usd is None


def test_a_price_that_is_unknown_for_one_is_unknown_for_both() -> None:
    known, unknown = StageUsage(asked=1, usd=1.0), StageUsage(asked=1, usd=None)
    assert known.plus(known).usd == 2.0
    assert known.plus(unknown).usd is None
    assert unknown.since(StageUsage()).usd is None


def test_a_trial_with_failed_calls_is_not_kept_and_the_next_makes_only_those(tmp_path) -> None:
    store = Store(tmp_path)
    model = layer([StatusError(500), StatusError(500)], store=store)
    part = pipeline(Hyde(model))
    with pytest.warns(UserWarning, match="1 calls of a model failed in this trial"):
        first = judge(part, DATASET, SPLIT, setting(store))
    assert "1 of 2 answers cannot be used" in first.notes[0]
    assert first.usage["hyde"]["failed/server_error"] == 1
    second = judge(part, DATASET, SPLIT, setting(store))
    assert not second.stored
    assert second.usage["hyde"]["made"] == 1
    third = judge(part, DATASET, SPLIT, setting(store))
    assert third.stored
    assert third.usage == second.usage
    assert _measures(third)["model/hyde/made"] == 1


def test_a_part_that_the_retriever_lacks_cannot_be_fed() -> None:
    with pytest.raises(ValueError, match=r"query\.feeds names dens.*bm25"):
        pipeline(Hyde(layer(), feeds=["dens"])).run(DATASET, NoStore())


@pytest.mark.parametrize("query", ["standalone", "hyde", "multi_query", "decompose"])
def test_options_of_models_are_checked_before_anything_runs(query) -> None:
    words = [f"query={query}", "llm=openai_like", "llm.llm.model=m", "+experiment=retrieval"]
    check_options(composed(*words, "gate=llm", "llm.limits.concurrency=2"))
    with pytest.raises(ValueError, match=r"llm\.limits\.concurrency is 'many'"):
        check_options(composed(*words, "llm.limits.concurrency=many"))
    wrong = composed(*words)
    with open_dict(wrong):
        wrong.llm.llm.modle = "m"
    with pytest.raises(ValueError, match="Did you mean model"):
        check_options(wrong)


def test_a_part_that_asks_a_model_says_where_there_is_none() -> None:
    config = composed("query=hyde")
    with pytest.raises(Exception, match="query=hyde asks a model and there is none"):
        instantiate(config.query, _convert_="all")
