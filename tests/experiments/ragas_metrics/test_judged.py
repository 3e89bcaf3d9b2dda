"""ragas's judged metrics over our model layer: what is asked, kept, counted and left out."""

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from llama_index.core.embeddings import MockEmbedding

from experiments.ragas_metrics.judge_metrics import JUDGED
from experiments.ragas_metrics.judged import JudgedScores
from experiments.store import NoStore, Store
from generation.faults import ModelError
from tests.experiments.ragas_metrics import judge
from tests.experiments.ragas_metrics.rig import row, twenty
from tests.generation.faulty_server import FaultyServer
from tests.generation.stub_llm import StatusError, StubLLM

pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NO_VECTORS = [name for name in JUDGED if name != "answer_relevancy"]
PLAIN_PRICE = {"prices": {"stub": {"input": 1.0, "output": 1.0}}}


def scores(model, store=None, *, names=tuple(NO_VECTORS), rows=None, **options):
    llm = judge.layer(model, store or NoStore(), **PLAIN_PRICE)
    metric = JudgedScores(llm=llm, names=names, embedding=MockEmbedding(embed_dim=3), **options)
    return metric.score(twenty() if rows is None else rows)


def stub(answer=judge.answer, **options):
    return StubLLM(answer, max_tokens=64, **options)


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
    from experiments.ragas_metrics.library import finish
    from experiments.ragas_metrics.waves import Question, Waves

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
    class Dead(StubLLM):
        def complete(self, prompt, formatted=False, **kwargs):
            raise StatusError(401)

    with pytest.raises(ModelError, match="does not accept the key"):
        scores(Dead(judge.answer))


def test_mistakes_are_said_before_any_call():
    with pytest.raises(ValueError, match="judge=ragas has no model"):
        JudgedScores(llm=None).score([])
    llm = judge.layer(stub(), NoStore())
    with pytest.raises(ValueError, match="embedding that is fitted on no corpus"):
        JudgedScores(llm=llm).score([])
    with pytest.raises(ValueError, match=r"repeats is 0"):
        JudgedScores(llm=llm, names=["faithfulness"], repeats=0).score([])
    with pytest.raises(ValueError, match="did you mean faithfulness"):
        JudgedScores(llm=llm, names=["faithfulnes"]).score([])


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
