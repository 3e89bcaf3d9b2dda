"""The calls of ragas's judged metrics: estimated, made in waves, kept, repeated, refused."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest

from experiments.ragas_metrics.judged import JudgedScores
from experiments.ragas_metrics.library import finish
from experiments.ragas_metrics.waves import Question, Waves
from experiments.store import NoStore, Store
from generation.faults import ModelError
from tests.experiments.ragas_metrics import judge
from tests.experiments.ragas_metrics.judged_rows import NO_VECTORS, PLAIN_PRICE, scores, stub
from tests.experiments.ragas_metrics.rig import twenty
from tests.generation.stub_llm import StatusError

pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_nothing_is_asked_twice_and_the_second_run_costs_nothing(tmp_path):
    first, again = stub(), stub()
    rows = twenty()
    before = scores(first, Store(tmp_path), rows=rows)
    after = scores(again, Store(tmp_path), rows=rows)
    assert first.asked
    assert again.asked == []
    assert np.array_equal(before.values, after.values, equal_nan=True)


def test_the_estimate_is_made_without_a_call_and_holds(tmp_path):
    model, rows = stub(), [one for one in twenty() if one.answer]
    metric = JudgedScores(llm=judge.layer(model, Store(tmp_path), **PLAIN_PRICE), names=NO_VECTORS)
    estimate = metric.estimate(rows)
    assert model.asked == []
    metric.score(rows)
    assert len(model.asked) == estimate.calls
    read = sum(usage.tokens_in for stage, usage in metric.llm.usage().items())
    assert estimate.tokens_in == pytest.approx(read, rel=0.1)
    assert estimate.usd > 0
    assert metric.estimate(rows).calls == 0


def test_all_rows_ask_in_one_wave():
    sizes = []

    def note(questions):
        sizes.append(len(questions))
        return [one.prompt for one in questions]

    async def rows():
        waves = Waves(note)

        async def one(number):
            question = Question(f"{number}", object, "s", "v")
            return await waves.ask(question) + await waves.ask(question)

        return await asyncio.gather(*(one(number) for number in range(5)))

    assert finish(rows()) == ["00", "11", "22", "33", "44"]
    assert sizes == [5, 5]


def test_repeats_ask_anew_and_their_spread_is_told():
    turns = iter([1, 0] * 100)
    model = stub(lambda _: json.dumps({"reason": "r", "verdict": next(turns)}))
    rows = [replace(one, contexts=one.contexts[:1], ranks=(0,)) for one in twenty()[:1]]
    options = {"names": ["context_precision"], "orders": ["prompt"], "rows": rows}
    found = scores(model, repeats=2, **options)
    assert len(model.asked) == 2
    assert found.values[0, 0] == pytest.approx(0.5, abs=1e-6)
    assert any("2 repeats give means from 0.000 to 1.000" in note for note in found.notes)


def test_answer_relevancy_asks_as_often_as_ragas_wants_with_a_store(tmp_path):
    model = stub()
    found = scores(model, Store(tmp_path), names=["answer_relevancy"], rows=twenty()[:1])
    assert len(model.asked) == 3
    assert found.values[0, 0] == pytest.approx(1)


def test_examples_are_translated_once_and_stand_in_the_prompts(tmp_path):
    model = stub()
    options = {"names": ["faithfulness"], "rows": twenty()[:3], "language": "korean"}
    scores(model, Store(tmp_path), **options)
    asked = [prompt for prompt in model.asked if "TRANSLATOR" not in prompt]
    assert len(model.asked) - len(asked) == 2
    assert all("번역" in prompt for prompt in asked)


def test_a_dead_judge_ends_the_batch_with_one_sentence():
    with pytest.raises(ModelError, match="does not accept the key"):
        scores(stub(failures=[StatusError(401)] * 99))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"llm": None}, "judge=ragas has no model"),
        ({}, "embedding that is fitted on no corpus"),
        ({"names": ["faithfulness"], "repeats": 0}, "repeats is 0"),
        ({"names": ["faithfulnes"]}, "did you mean faithfulness"),
    ],
    ids=["model", "embedding", "repeats", "name"],
)
def test_mistakes_are_said_before_any_call(options, said):
    model = stub()
    parts = {"llm": judge.layer(model, NoStore()), **options}
    with pytest.raises(ValueError, match=said):
        JudgedScores(**parts).score(twenty()[:1])
    assert model.asked == []
