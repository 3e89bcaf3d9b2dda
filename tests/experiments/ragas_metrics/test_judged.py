"""Scores of ragas's judged metrics over our model layer: ragas's own, or none."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest

from tests.experiments.ragas_metrics import judge
from tests.experiments.ragas_metrics.judged_rows import scores, stub
from tests.experiments.ragas_metrics.rig import row, twenty
from tests.generation.faulty_server import FaultyServer

pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


async def _by_hand(rows):
    """ragas's own classes on a judge of ragas's own kind, without our layer."""
    from ragas.llms.base import InstructorBaseRagasLLM
    from ragas.metrics.collections import (
        ContextPrecision,
        ContextRecall,
        FactualCorrectness,
        Faithfulness,
    )

    class Direct(InstructorBaseRagasLLM):
        def generate(self, prompt, response_model):
            text = judge.answer(prompt).partition("```json")[2].rpartition("```")[0]
            return response_model.model_validate_json(text)

        async def agenerate(self, prompt, response_model):
            return self.generate(prompt, response_model)

    found = []
    for one in rows:
        asked = {"user_input": one.question, "reference": one.reference}
        contexts = list(one.contexts)
        answers = {"response": one.answer, "retrieved_contexts": contexts}
        found.append(
            [
                await Faithfulness(Direct()).ascore(user_input=one.question, **answers),
                await ContextPrecision(Direct()).ascore(**asked, retrieved_contexts=contexts),
                await ContextRecall(Direct()).ascore(**asked, retrieved_contexts=contexts),
                await FactualCorrectness(Direct()).ascore(
                    response=one.answer, reference=one.reference
                ),
            ]
        )
    return np.array([[result.value for result in row] for row in found])


def test_the_numbers_are_those_of_ragas_called_by_hand():
    rows = [one for one in twenty() if one.answer]
    ours = scores(stub(), rows=rows, orders=["prompt"])
    assert ours.metrics == (
        "ragas_faithfulness",
        "ragas_context_precision_prompt",
        "ragas_context_recall_prompt",
        "ragas_factual_correctness",
    )
    by_hand = asyncio.run(_by_hand(rows))
    assert ours.values == pytest.approx(by_hand, abs=1e-12)
    assert all(len(set(column)) > 1 for column in by_hand.T)


def test_an_empty_context_scores_0_without_a_call():
    model = stub()
    empty = row(0, "Paris.", "Paris.", contexts=("", " "), ranks=(0, 1), context_ids=("d0", "d1"))
    names = ["faithfulness", "context_precision", "context_recall"]
    assert not scores(model, names=names, rows=[empty]).values.any()
    assert model.asked == []


def test_what_is_missing_costs_no_call_and_is_in_no_mean():
    model = stub()
    rows = [row(0, None, "Paris."), row(1, "Paris.", None), row(2, "", "Paris.")]
    found = scores(model, names=["factual_correctness", "faithfulness"], rows=rows)
    assert found.column("ragas_factual_correctness").tolist()[2] == 0
    assert np.isnan(found.column("ragas_factual_correctness")[:2]).all()
    assert found.mean()["ragas_faithfulness"].n_scored == 1
    assert any("an empty answer states nothing (1)" in note for note in found.notes)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("no JSON at all", "it does not hold the JSON that was asked for"),
        ('{"reason": "r", "verdict": 5}', "it has a verdict that is neither 0 nor 1"),
    ],
)
def test_an_answer_that_ragas_would_miscount_is_no_score(said, reason):
    found = scores(stub(lambda _: said), names=["context_precision"], rows=twenty()[:3])
    assert np.isnan(found.values).all()
    assert any(f"{reason} (2 attempts) (3)" in note for note in found.notes)


def test_a_verdict_too_few_is_no_score():
    def forgetful(prompt):
        text = judge.answer(prompt)
        if '"NLIStatementOutput"' not in prompt:
            return text
        said = json.loads(text.partition("```json")[2].rpartition("```")[0])
        return json.dumps({"statements": said["statements"][1:]})

    rows = [row(0, "Water boils. It freezes.", "Water.")]
    found = scores(stub(forgetful), names=["faithfulness"], rows=rows)
    assert np.isnan(found.values).all()
    assert any("it answers to 1 of 2 statements" in note for note in found.notes)


def test_statements_in_another_language_are_no_score():
    said = json.dumps({"statements": ["Seoul is the capital."]})
    rows = [row(0, "서울은 대한민국의 수도이다.", "서울")]
    found = scores(stub(lambda _: said), names=["faithfulness"], rows=rows)
    assert np.isnan(found.values).all()
    assert any("it has no Korean in it" in note for note in found.notes)


@pytest.mark.server
def test_a_judge_that_fails_30_percent_loses_rows_and_moves_no_score(tmp_path):
    openai_like = pytest.importorskip("llama_index.llms.openai_like")
    faults = ("429", "500", "close", "cut", "language", "language")
    server = FaultyServer(judge.answer, rate=0.3, faults=faults)
    right = scores(stub())
    with server.running() as address:
        client = openai_like.OpenAILike(
            api_base=address, model="stub", api_key="k", is_chat_model=True
        )
        found = scores(client)
    lost = np.isnan(found.values) & ~np.isnan(right.values)
    kept = ~np.isnan(found.values)
    assert 0 < lost.sum() < lost.size / 3
    assert found.values[kept] == pytest.approx(right.values[kept])
    for metric, mean in found.mean().items():
        column = found.column(metric)
        assert mean.n_scored == np.isfinite(column).sum()
        assert np.isfinite(mean.mean)
    assert any("scored on" in note and "JSON" in note for note in found.notes)
    assert set(faults) < server.seen.keys()
