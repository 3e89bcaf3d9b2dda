"""The rows of the rig, scored by the rule of the judge."""

from __future__ import annotations

from llama_index.core.embeddings import MockEmbedding

from experiments.ragas_metrics.judge_metrics import JUDGED
from experiments.ragas_metrics.judged import JudgedScores
from experiments.store import NoStore
from tests.experiments.ragas_metrics.judge import answer, layer
from tests.experiments.ragas_metrics.rig import twenty
from tests.generation.stub_llm import StubLLM

NO_VECTORS = [name for name in JUDGED if name != "answer_relevancy"]
PLAIN_PRICE = {"prices": {"stub": {"input": 1.0, "output": 1.0}}}


def scores(model, store=None, *, names=tuple(NO_VECTORS), rows=None, **options):
    llm = layer(model, store or NoStore(), **PLAIN_PRICE)
    metric = JudgedScores(llm=llm, names=names, embedding=MockEmbedding(embed_dim=3), **options)
    return metric.score(twenty() if rows is None else rows)


def stub(answer=answer, **options):
    return StubLLM(answer, max_tokens=64, **options)
