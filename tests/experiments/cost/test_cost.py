"""Costs: what is timed, what is stored, and which pipelines another one beats."""

import json
import time
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.embeddings import MockEmbedding

from experiments.cost.figure import pareto_figure
from experiments.cost.measures import BUILD, BYTES, P50, P95, TIMED, cost_of
from experiments.cost.pareto import dominated
from experiments.cost.table import CLEARLY
from experiments.cost.timing import MOST_QUERIES, _embedding_anew, _timed
from experiments.datasets.science_qa import ScienceQA
from experiments.store import NoStore, Store
from experiments.stored_embedding import StoredEmbedding
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.dense import DenseRetriever
from retrievers.gate import ScoreGate
from retrievers.lsa import LsaEmbedding
from tests.experiments.test_comparison import SAMPLE, compare, hybrid, pipeline, summary


def test_a_comparison_shows_and_keeps_the_cost(tmp_path, capsys):
    variants = {
        "bm25": {},
        "letters": {"retriever": CharTfidfRetriever()},
        "two": {"retriever": hybrid()},
    }
    report = compare(tmp_path, variants=variants, baseline="bm25")
    told = capsys.readouterr().out
    for said in ("Cost", "ms a query", "MiB", "queries searched one at a time"):
        assert said in told
    costs = {name: one["cost"] for name, one in summary(report)["pipelines"].items()}
    for cost in costs.values():
        assert 0 < cost[P50] <= cost[P95]
        assert cost[TIMED] <= MOST_QUERIES
        assert cost["tokens"] == 0
        assert cost["usd"] == 0
    assert costs["two"][BYTES] == costs["bm25"][BYTES] + costs["letters"][BYTES]
    assert costs["two"][P50] > max(costs["bm25"][P50], costs["letters"][P50]) * 0.5
    assert (report.folder / "cost.html").stat().st_size > 10_000
    again = compare(tmp_path, variants=variants, baseline="bm25")
    assert {n: one["cost"] for n, one in summary(again)["pipelines"].items()} == costs


def test_the_leaves_are_timed_once_for_all_weights(tmp_path):
    data, store = ScienceQA(path=SAMPLE).load(), Store(tmp_path)
    first = pipeline(retriever=hybrid()).run(data, store)
    entries = sorted((tmp_path / "search_times").glob("*/*/manifest.json"))
    heavier = hybrid().reweighted({"bm25": 3, "char_tfidf": 1})
    second = pipeline(retriever=heavier).run(data, store)
    assert sorted((tmp_path / "search_times").glob("*/*/manifest.json")) == entries
    assert len(entries) == 2
    np.testing.assert_array_equal(first.search.milliseconds, second.search.milliseconds)


def test_what_was_built_before_costs_what_it_cost_then(tmp_path):
    data, store = ScienceQA(path=SAMPLE).load(), Store(tmp_path)
    two = cost_of(pipeline(retriever=hybrid()).run(data, store))
    again = cost_of(pipeline(retriever=hybrid().reweighted({"bm25": 3})).run(data, store))
    alone = cost_of(pipeline().run(data, store))
    assert two[BUILD] > alone[BUILD] > 0.02, "the index was read, and yet it took time to make"
    assert again[BUILD] == alone[BUILD], "one index and one price, whoever asks"


def test_the_order_of_two_runs_does_not_change_what_they_cost_to_build(tmp_path):
    """Terms that an earlier run made count for both; what is nested is not counted twice."""
    data, store = ScienceQA(path=SAMPLE).load(), Store(tmp_path)
    indexes = [BM25Retriever(k1=k1) for k1 in (1.2, 1.5)]
    first, second = (cost_of(pipeline(retriever=one).run(data, store)) for one in indexes)
    terms = list((tmp_path / "terms").glob("*/*/manifest.json"))
    seconds = json.loads(terms[0].read_text())["seconds"]
    assert len(terms) == 1
    assert min(first[BUILD], second[BUILD]) > seconds
    assert abs(first[BUILD] - second[BUILD]) < seconds


def test_a_gate_costs_the_same_whoever_measured_first(tmp_path):
    data, store = ScienceQA(path=SAMPLE).load(), Store(tmp_path)
    gate = ScoreGate(draws=99)
    first = pipeline(gate=gate).run(data, store)
    second = pipeline(gate=gate, depth=50).run(data, store)
    measured = first.saved["gate"]
    assert first.seconds["gate"] >= measured > 10 * second.seconds["gate"]
    costs = [cost_of(one)[P50] - np.median(one.search.milliseconds) for one in (first, second)]
    assert abs(costs[0] - costs[1]) < 0.5 * min(costs)
    assert pipeline().run(data, store).saved["gate"] == 0
    alone = pipeline(gate=gate).run(data, NoStore())
    assert 0 < alone.saved["gate"] <= alone.seconds["gate"]


def test_what_one_pipeline_beats_is_said_in_one_line(tmp_path, capsys):
    variants = {"bm25": {}, "copy": {"depth": 99}, "other": {"depth": 98}}
    report = compare(tmp_path, variants=variants, baseline="bm25")
    told = capsys.readouterr().out
    times = {n: one["cost"][P50] for n, one in summary(report)["pipelines"].items()}
    best = min(times, key=times.get)
    beaten = [name for name in variants if times[best] <= (1 - CLEARLY) * times[name]]
    said = f"{', '.join(beaten)} {'is' if len(beaten) == 1 else 'are'} dominated: {best} scores"
    assert said in told or not beaten
    assert "answers of models came from the store" not in told


def test_a_disturbed_try_does_not_count():
    pauses = iter([0.001, *[0.03, 0.001] * 3, *[0.001] * 20])
    times = _timed(lambda plan: time.sleep(next(pauses)), [None] * 6)
    assert times.shape == (6,)
    assert times.max() < 0.03


def test_without_a_store_the_size_is_unknown_and_left_out():
    outcome = pipeline().run(ScienceQA(path=SAMPLE).load(), NoStore())
    assert outcome.search.index_bytes is None
    cost = cost_of(outcome)
    assert BYTES not in cost
    assert cost[BUILD] == outcome.seconds["chunk"] + outcome.seconds["index"]
    assert json.dumps(cost, allow_nan=False)


def test_a_local_embedding_is_asked_anew_and_put_back():
    stored = StoredEmbedding(model=LsaEmbedding(), store=NoStore())
    leaf = DenseRetriever(stored)
    with _embedding_anew(leaf):
        assert leaf.embedding is stored.model
    assert leaf.embedding is stored
    priced = StoredEmbedding(model=MockEmbedding(embed_dim=4), store=NoStore())
    other = DenseRetriever(priced)
    with _embedding_anew(other):
        assert other.embedding is priced, "a model that is not ours may cost money"


def test_what_is_dominated_by_hand():
    scores = {"good": 0.8, "same": 0.8, "cheap": 0.5, "bad": 0.5, "unscored": 0.9}
    costs = {"good": 10.0, "same": 12.0, "cheap": 1.0, "bad": 11.0, "untimed": 0.0}
    assert dominated(scores, costs) == {"same": "good", "bad": "good"}
    assert dominated({"a": 1.0, "b": 1.0}, {"a": 2.0, "b": 2.0}) == {}


def test_a_time_within_the_margin_is_no_lower_cost():
    scores, costs = {"a": 0.82, "b": 0.81, "c": 0.81}, {"a": 144.0, "b": 146.0, "c": 200.0}
    assert dominated(scores, costs) == {"b": "a", "c": "a"}
    assert dominated(scores, costs, margin=0.1) == {"c": "a"}


numbers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)


@given(numbers)
def test_the_front_beats_all_that_is_behind_it(points):
    scores = {str(place): float(score) for place, (score, _) in enumerate(points)}
    costs = {str(place): float(cost) for place, (_, cost) in enumerate(points)}
    behind = dominated(scores, costs)
    assert len(behind) < len(points)
    for name, better in behind.items():
        assert better not in behind, "the one that is named stands on the front"
        assert scores[better] >= scores[name]
        assert costs[better] <= costs[name]
    front = [name for name in scores if name not in behind]
    for one in front:
        assert not any(scores[o] > scores[one] and costs[o] <= costs[one] for o in front)


def test_one_query_is_no_error(tmp_path):
    data = ScienceQA(path=SAMPLE).load()
    outcome = pipeline().run(replace(data, queries=data.queries[:1]), Store(tmp_path))
    assert outcome.search.milliseconds.shape == (1,)


def test_the_figure_offers_the_costs_that_differ_each_with_its_own_front():
    scores = {"cheap": 0.5, "good": 0.8, "slow": 0.7}
    costs = {
        "cheap": {P50: 2.0, BUILD: 9.0, BYTES: 2.0**20, "tokens": 0.0, "usd": 0.0},
        "good": {P50: 20.0, BUILD: 9.0, BYTES: 2.0**22, "tokens": 0.0, "usd": 0.0},
        "slow": {P50: 30.0, BUILD: 9.0, BYTES: 2.0**21, "tokens": 0.0, "usd": 0.0},
        "unscored": {P50: 1.0, BUILD: 8.0},
    }
    figure = pareto_figure(scores, costs, "map@3")
    buttons = figure.layout.updatemenus[0].buttons
    assert [one.label for one in buttons] == ["milliseconds a query (p50)", "MiB of the index"]
    shown = [[trace.visible for trace in figure.data], *(one.args[0]["visible"] for one in buttons)]
    assert shown == [[True, True, False, False]] * 2 + [[False, False, True, True]]
    front, points = figure.data[2:]
    assert [*front.x] == [1, 2, 4], "in size, slow lies on the front"
    assert [*figure.data[0].x] == [2, 20]
    assert dict(zip(points.text, points.x, strict=True)) == {"cheap": 1, "slow": 2, "good": 4}
    ticks = dict(zip(figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext, strict=True))
    assert ticks[20.0] == "20"
