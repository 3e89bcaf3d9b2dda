"""Embeddings of a server: complete in spite of faults, stored by text, without the key."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.embeddings import BaseEmbedding
from pydantic import PrivateAttr

from experiments.identity import describe, fingerprint
from experiments.store import Store
from experiments.stored_embedding import StoredEmbedding
from generation.embedding_servers import openai_like
from generation.faults import ModelError
from generation.limits import Limits
from generation.retry import Retry
from generation.served_embedding import ServedEmbedding
from retrievers.dense import DenseRetriever
from tests.generation.faulty_server import FaultyServer
from tests.generation.stub_llm import StatusError

TEXTS = [f"passage number {number} 번" for number in range(60)]
QUICK = Retry(attempts=8, first_wait=0.01)


class Client(BaseEmbedding):
    """The length of a text; it fails and errs first as it is told, and keeps what it was asked."""

    _asked: list[tuple[str, list[str]]] = PrivateAttr(default_factory=list)
    _failures: list[Exception | None] = PrivateAttr(default_factory=list)
    _instead: list[Any] = PrivateAttr(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)
    _together: Any = PrivateAttr(default_factory=lambda: threading.Barrier(1))

    def _said(self, side: str, texts: list[str]) -> list[list[float]]:
        with self._lock:
            self._asked.append((side, texts))
            failure = self._failures.pop(0) if self._failures else None
        if failure:
            self._together.wait(timeout=10)
            raise failure
        if self._instead:
            return self._instead.pop()  # type: ignore[no-any-return]
        return [[float(len(text)), 1.0] for text in texts]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._said("passage", texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._said("passage", [text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._said("query", [query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def test_queries_and_passages_have_a_model_and_a_prefix_of_their_own() -> None:
    passages, queries = Client(embed_batch_size=2), Client(model_name="queries")
    model = ServedEmbedding(
        passages=passages, queries=queries, query_prefix="q: ", passage_prefix="passage: "
    )
    assert model.get_text_embedding_batch(["a", "bb", "ccc"]) == [[10, 1], [11, 1], [12, 1]]
    assert model.get_query_embedding_batch(["a", "bb"]) == [[4, 1], [5, 1]]
    assert sorted(passages._asked) == [
        ("passage", ["passage: a", "passage: bb"]),
        ("passage", ["passage: ccc"]),
    ]
    assert sorted(queries._asked) == [("query", ["q: a"]), ("query", ["q: bb"])]


def test_faults_are_repeated_and_counted_and_a_wrong_key_ends_the_run_at_once() -> None:
    client = Client(embed_batch_size=1)
    client._failures.extend([StatusError(429), StatusError(500)])
    model = ServedEmbedding(passages=client, retry=QUICK, limits=Limits(concurrency=1))
    assert model.get_text_embedding_batch(["a", "bb"]) == [[1, 1], [2, 1]]
    usage = model.usage()["embedding"]
    assert (usage.asked, usage.made, usage.retried) == (2, 4, 2)
    assert usage.faults == {"rate_limit": 1, "server_error": 1}
    client._failures.extend([StatusError(401)])
    with pytest.raises(ModelError, match="does not accept the key"):
        model.get_text_embedding_batch(["d"])
    assert len(client._asked) == 5


@pytest.mark.parametrize(
    "failures",
    [
        [None, StatusError(429, **{"retry-after": "30"}), StatusError(401)],
        [None, StatusError(429, **{"retry-after": "3600"})],
    ],
)
def test_what_cannot_succeed_ends_the_calls_that_wait(failures) -> None:
    client = Client(embed_batch_size=1, model_name=f"of {len(failures)} failures")
    client._failures.extend(failures)
    client._together = threading.Barrier(sum(failure is not None for failure in failures))
    model = ServedEmbedding(passages=client, limits=Limits(concurrency=2))
    started = time.monotonic()
    with pytest.raises(ModelError, match="gave no vectors"):
        model.get_text_embedding_batch([str(number) for number in range(40)])
    assert time.monotonic() - started < 5
    assert len(client._asked) < 40


def test_a_wrong_key_is_found_by_one_call_of_many() -> None:
    client = Client(embed_batch_size=1)
    client._failures.extend([StatusError(401)] * 9)
    with pytest.raises(ModelError, match="does not accept the key"):
        ServedEmbedding(passages=client).get_text_embedding_batch(["a", "b", "c"])
    assert len(client._asked) == 1


@pytest.mark.parametrize("vector", [[float("nan"), 1.0], [], [1.0], [None, 1.0]])
def test_vectors_that_are_none_are_asked_for_again(vector) -> None:
    client = Client()
    client._instead.append([vector, [2.0, 1.0]])
    model = ServedEmbedding(passages=client, retry=QUICK)
    assert model.get_text_embedding_batch(["a", "bb"]) == [[1, 1], [2, 1]]
    assert model.usage()["embedding"].faults == {"unreadable": 1}


def test_a_changed_corpus_embeds_only_what_changed(tmp_path: Path) -> None:
    client = Client()

    def built(texts: list[str]) -> DenseRetriever:
        model = ServedEmbedding(passages=client)
        retriever = DenseRetriever(StoredEmbedding(model=model, store=Store(tmp_path)))
        retriever.index(texts)
        return retriever

    built(["a", "bb", "ccc"])
    client._asked.clear()
    built(["ccc", "dddd", "a"])
    assert [texts for _, texts in client._asked] == [["dddd"]]


def test_what_is_stored_depends_on_models_and_prefixes_and_on_no_key(monkeypatch) -> None:
    def mark(key: str = "secret-1", **options: Any) -> str:
        monkeypatch.setenv("SOME_KEY", key)
        asked = {"api_base": "http://x/v1", "key_from": "SOME_KEY"}
        own = {name: options.pop(name) for name in ("texts_a_call", "model") if name in options}
        client = openai_like(own.pop("model", "m"), **asked, **own)
        described = describe(
            StoredEmbedding(model=ServedEmbedding(passages=client, **options), store=None)
        )
        assert "secret" not in json.dumps(described)
        return fingerprint(described)

    assert mark() == mark("secret-2") == mark(texts_a_call=7) == mark(limits=Limits(timeout=9))
    assert len({mark(), mark(model="n"), mark(query_prefix="q"), mark(passage_prefix="q")}) == 4
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(ValueError, match="SOME_KEY, which is not set"):
        openai_like("m", api_base="http://x/v1", key_from="SOME_KEY")


@pytest.mark.server
@pytest.mark.slow
def test_a_server_that_fails_30_percent_of_the_time_gives_every_vector(tmp_path) -> None:
    pytest.importorskip("llama_index.embeddings.openai_like")
    faults = ("429", "500", "slow", "cut", "close")
    server = FaultyServer(rate=0.3, faults=faults, slow=4.0, seed=3)
    right = FaultyServer()
    with server.running() as address, right.running() as other:

        def vectors(api_base: str, folder: str) -> list[list[float]]:
            client = openai_like("m", api_base=api_base, texts_a_call=4)
            limits = Limits(concurrency=4, timeout=3.0)
            model = ServedEmbedding(passages=client, retry=QUICK, limits=limits)
            stored = StoredEmbedding(model=model, store=Store(tmp_path / folder))
            found = stored.get_text_embedding_batch(TEXTS)
            assert model.usage()["embedding"].made == 15 + sum(
                model.usage()["embedding"].faults.values()
            )
            return found

        assert vectors(address, "faulty") == vectors(other, "right")
        assert sum(server.seen[kind] for kind in faults) > 2
        assert server.keys == {"Bearer none"}


@pytest.mark.server
def test_a_wrong_key_is_one_call_and_is_not_shown(monkeypatch) -> None:
    pytest.importorskip("llama_index.embeddings.openai_like")
    monkeypatch.setenv("SOME_KEY", "sk-secret-key")
    server = FaultyServer(rate=1.0, faults=("401",))
    with server.running() as address:
        client = openai_like("m", api_base=address, key_from="SOME_KEY")
        with pytest.raises(ModelError) as raised:
            ServedEmbedding(passages=client).get_text_embedding_batch(["a"])
        assert "secret" not in str(raised.value)
        assert server.requests == 1
