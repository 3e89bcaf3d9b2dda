"""Rewriters and the gate over the model layer, against a server that fails 30 % of the time."""

from __future__ import annotations

import re

import pytest
from llama_index.core.schema import TextNode

from experiments.schema import Query
from experiments.store import NoStore
from generation.limits import Limits
from generation.llm import StoredLLM
from generation.retry import Retry
from retrievers.bm25 import BM25Retriever
from retrievers.llm_gate import LLMGate
from retrievers.queries import LastTurn
from retrievers.ranking import EVERY_PART
from retrievers.rewriting import MultiQuery
from tests.generation.faulty_server import FaultyServer

openai_like = pytest.importorskip("llama_index.llms.openai_like")
pytestmark = [pytest.mark.server, pytest.mark.slow]

QUERIES = [Query(f"e{n}", f"What is element {n}?") for n in range(30)]
QUERIES += [Query(f"k{n}", f"원소 {n}번은 무엇인가요?") for n in range(30)]


def answer(prompt: str) -> str:
    """Two wordings for a rewriter, a word for the gate."""
    number = re.findall(r"(?:element|원소) (\d+)", prompt)[-1]
    if "Message:" in prompt or "메시지:" in prompt:
        return "CHAT" if number == "7" else "검색"
    atom, kind = ("원소 번호", "성질") if "원소" in prompt else ("atom", "kind")
    return f"1. {atom} {number}\n2. {kind} {number}"


def test_every_query_is_rewritten_or_searched_by_its_own_words_and_none_is_lost() -> None:
    server = FaultyServer(answer, rate=0.3, slow=4.0)
    with server.running() as address:
        llm = openai_like.OpenAILike(model="m", api_base=address, api_key="k", is_chat_model=True)
        model = StoredLLM(
            llm=llm,
            store=NoStore(),
            limits=Limits(concurrency=8, timeout=3.0),
            retry=Retry(attempts=3, first_wait=0.01),
        )
        part = MultiQuery(model, of=LastTurn(), count=2)
        plans = part.plan(QUERIES)
        kept = [plan for plan in plans if len(plan.texts[EVERY_PART]) == 1]
        for query, plan in zip(QUERIES, plans, strict=True):
            own, *others = plan.texts[EVERY_PART]
            assert own == query.text
            if others:
                wordings = [line[3:] for line in answer(query.text).splitlines()]
                assert others == wordings
        failed = sum(model.usage()["multi_query"].failed.values())
        assert len(kept) == failed
        assert bool(part.notes) == bool(failed)
        assert f"{failed} of 60 answers" in (part.notes or ("0 of 60 answers",))[0]

        retriever = BM25Retriever()
        retriever.build([TextNode(text="an element is an atom", id_="0")])
        decision = LLMGate(model).decide(plans, retriever.retrieve_many(plans, 1), retriever)
        blocked = {query.id for query, stop in zip(QUERIES, decision.blocked, strict=True) if stop}
        assert blocked <= {"e7", "k7"}
