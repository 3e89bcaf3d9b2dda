"""A small dataset with labels and answers, and the study on it."""

from experiments.evaluation import Evaluator
from experiments.rag.study import Rag
from experiments.schema import Dataset, Document, Query, Turn
from experiments.store import Store
from generation.context import ContextAssembler
from generation.limits import Limits
from generation.llm import StoredLLM
from generation.offline import ExtractiveLLM
from generation.retry import Retry
from retrievers.gate import GateDecision, NoGate
from tests.experiments.test_comparison import pipeline, setting

TEXTS = {
    "d1": "서울은 대한민국의 수도이다.",
    "d2": "파리는 프랑스의 수도이다.",
    "d3": "광합성은 빛으로 양분을 만든다.",
    "d4": "물은 100도에서 끓는다.",
    "d5": "수도는 나라의 으뜸 도시를 말한다.",
    "d6": "lone \ud800 surrogate and an emoji 😀.",
}
QUERIES = [
    Query("capital", "대한민국의 수도는?", answer="서울"),
    Query("boil", "물은 몇 도에서 끓는가?", answer="100도"),
    Query("turns", "그럼 프랑스는?", history=(Turn("user", "수도는?"),), answer="파리"),
    Query("light", "광합성은 무엇으로 하는가?"),
    Query("nothing", "zzz qqq"),
    Query("emoji", "surrogate \ud800 😀?"),
]
QRELS = {"capital": {"d1": 1}, "boil": {"d4": 1}, "turns": {"d2": 1}, "light": {"d3": 1, "d6": 1}}


class Fixed:
    """A loader of one dataset."""

    def __init__(self, **changes):
        documents = [Document(name, text) for name, text in TEXTS.items()]
        values = {"name": "set", "corpus": documents, "queries": QUERIES, "qrels": QRELS}
        self.value = Dataset(**{**values, "fingerprint": "f" * 64, **changes})

    def load(self):
        return self.value


class BlockFirst:
    """A gate that holds the first query back."""

    measure = None

    def decide(self, plans, retrieved, retriever, measured=None):
        import numpy as np

        blocked = np.arange(len(plans)) == 0
        reasons = tuple("chat" if one else "" for one in blocked)
        return GateDecision(blocked, reasons, np.full(len(plans), np.nan))


def stored(folder, model=None):
    return StoredLLM(
        llm=model or ExtractiveLLM(),
        store=Store(folder / "store"),
        limits=Limits(concurrency=1),
        retry=Retry(attempts=1),
    )


def study(folder, *, model=None, gate=None, reorder=None, context=None, traces=0, **changes):
    parts = {"dataset": Fixed(), "metrics": Evaluator(["map@3"]), "submission": None}
    return Rag(
        title="rag",
        setting=setting(folder, **parts | changes),
        pipeline=pipeline(gate=gate or NoGate(), postprocessors=reorder or {}),
        context=context or ContextAssembler(top_k=3),
        llm=stored(folder, model),
        traces=traces,
    )
