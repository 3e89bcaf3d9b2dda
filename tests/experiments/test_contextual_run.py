"""Notes of a model in a pipeline: stored, resumed, and a failed call that is never kept as done."""

from __future__ import annotations

import warnings
from itertools import count
from pathlib import Path

import pytest

from experiments.chunkers import Sentences
from experiments.pipeline import Outcome, Pipeline
from experiments.schema import Dataset, Document, Query
from experiments.store import Store
from generation.calls import Calls
from generation.limits import Limits
from generation.llm import StoredLLM
from generation.prices import BudgetError
from generation.retry import Retry
from retrievers.base import indexed_text
from retrievers.bm25 import BM25Retriever
from retrievers.contextual import Contextual
from retrievers.gate import NoGate
from retrievers.model_notes import ModelNotes
from retrievers.queries import LastTurn
from tests.generation.faulty_server import FaultyServer
from tests.generation.stub_llm import StatusError, StubLLM

NAMES = (f"notes-{number}" for number in count())
SENTENCES = [f"Sentence {number} stands here." for number in range(10)]
DATASET = Dataset(
    "long",
    [Document("a", " ".join(SENTENCES), "Lines"), Document("b", "A second text. It is short.")],
    [Query("q", "sentence")],
    {"q": {"a": 1}},
    fingerprint="long",
)


def note(prompt: str) -> str:
    return "note on " + prompt.split("<part>\n")[1].split("\n</part>")[0]


def run(llm, store, **options) -> Outcome:
    options = {"retry": Retry(attempts=2, first_wait=0.0), **options}
    model = StoredLLM(llm=llm, store=store, **options)
    pipeline = Pipeline(
        chunker=Sentences(chunk_size=8, chunk_overlap=0),
        enrich=Contextual(ModelNotes(model)),
        query=LastTurn(),
        retriever=BM25Retriever(),
        gate=NoGate(),
        depth=2,
    )
    return pipeline.run(DATASET, store)


def noted(outcome: Outcome) -> int:
    return sum("note on" in indexed_text(node) for node in outcome.nodes)


def test_the_second_run_makes_no_call(tmp_path: Path) -> None:
    llm = StubLLM(note, model=next(NAMES))
    first = run(llm, Store(tmp_path))
    made = len(llm.asked)
    assert made == len(first.nodes) == noted(first) > 10
    assert first.usage["enrich"].made == made
    again = run(llm, Store(tmp_path))
    assert len(llm.asked) == made
    assert [indexed_text(n) for n in again.nodes] == [indexed_text(n) for n in first.nodes]


def test_a_run_killed_half_way_makes_only_the_missing_calls(tmp_path, monkeypatch) -> None:
    llm = StubLLM(note, model=next(NAMES))
    whole = run(llm, Store(tmp_path / "whole"))
    llm.asked.clear()
    answer = Calls._answer

    def killed(*args, **kwargs):
        if len(llm.asked) >= 5:
            raise KeyboardInterrupt
        return answer(*args, **kwargs)

    monkeypatch.setattr(Calls, "_answer", killed)
    with pytest.raises(KeyboardInterrupt):
        run(llm, Store(tmp_path / "killed"), limits=Limits(concurrency=1))
    assert len(llm.asked) == 5
    monkeypatch.setattr(Calls, "_answer", answer)
    finished = run(llm, Store(tmp_path / "killed"))
    assert len(llm.asked) == len({*llm.asked}) == len(whole.nodes)
    assert [indexed_text(n) for n in finished.nodes] == [indexed_text(n) for n in whole.nodes]


def test_a_failed_call_leaves_its_chunk_without_a_note_until_the_next_run(tmp_path) -> None:
    name = next(NAMES)
    refusals = [StatusError(400, "no") for _ in range(1)]
    llm = StubLLM(note, model=name)
    llm._failures.extend([None, *refusals])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = run(llm, Store(tmp_path), limits=Limits(concurrency=1))
    assert noted(first) == len(first.nodes) - 1
    assert first.usage["enrich"].failed == {"refused": 1}
    assert any("1 of" in said and "have no note" in said for said in first.notes)
    assert any("could not be enriched" in str(one.message) for one in caught)
    made = len(llm.asked)
    second = run(llm, Store(tmp_path))
    assert len(llm.asked) == made + 1
    assert noted(second) == len(second.nodes)
    lacking = next(n for n in first.nodes if "note on" not in indexed_text(n))
    ranked = second.retrieved.node_ids
    assert lacking.node_id in ranked
    assert not any("have no note" in said for said in second.notes)


def test_an_index_of_chunks_without_a_note_is_never_taken_for_the_whole(tmp_path) -> None:
    llm = StubLLM(lambda prompt: f"{note(prompt)} zebra", model=next(NAMES))
    llm._failures.extend([None, StatusError(400, "no")])
    dataset_query = Query("q", "zebra")
    counts = []
    for _ in range(2):
        model = StoredLLM(llm=llm, store=Store(tmp_path), limits=Limits(concurrency=1))
        pipeline = Pipeline(
            chunker=Sentences(chunk_size=8, chunk_overlap=0),
            enrich=Contextual(ModelNotes(model)),
            query=LastTurn(),
            retriever=BM25Retriever(),
            gate=NoGate(),
            depth=50,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = pipeline.run(
                Dataset("long", DATASET.corpus, [dataset_query], None, fingerprint="long"),
                Store(tmp_path),
            )
        counts.append(int(outcome.retrieved.lengths()[0]))
    assert counts == [len(outcome.nodes) - 1, len(outcome.nodes)]


def test_the_price_is_said_before_the_first_call_and_the_budget_holds(tmp_path, capsys) -> None:
    name = next(NAMES)
    llm = StubLLM(note, model=name)
    prices = {name: {"input": 100.0, "output": 100.0}}
    options = {"prices": prices, "limits": Limits(concurrency=1)}
    with pytest.raises(BudgetError, match="raise the budget"):
        run(llm, Store(tmp_path), budget_usd=0.1, **options)
    said = capsys.readouterr().err
    assert said.startswith("enrich: 11 calls of")
    assert "at most $" in said
    made = len(llm.asked)
    assert 0 < made < 11
    run(llm, Store(tmp_path), budget_usd=100.0, **options)
    assert len(llm.asked) == 11


@pytest.mark.server
@pytest.mark.slow
def test_a_server_that_fails_30_percent_of_the_time_costs_few_calls_more(tmp_path) -> None:
    openai_like = pytest.importorskip("llama_index.llms.openai_like")
    server = FaultyServer(note, rate=0.3, slow=4.0, faults=("429", "500", "cut", "close"))
    with server.running() as address:
        llm = openai_like.OpenAILike(
            model=next(NAMES), api_base=address, api_key="k", is_chat_model=True
        )
        outcome = run(llm, Store(tmp_path), retry=Retry(attempts=8, first_wait=0.01))
        assert noted(outcome) == len(outcome.nodes)
        usage = outcome.usage["enrich"]
        assert usage.made == server.requests == len(outcome.nodes) + sum(usage.faults.values())
        before = server.requests
        run(llm, Store(tmp_path))
        assert server.requests == before
