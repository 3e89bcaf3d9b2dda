"""Calls of a search server: what is tried again, what is said, and that no key leaks."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from experiments.identity import describe
from retrievers.elasticsearch import ElasticsearchServer
from retrievers.qdrant import QdrantServer
from retrievers.search_server import RefusedError, SearchServer
from tests.retrievers.stub_search_server import StubServer


class Echo(StubServer):
    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        return 200, {"said": body}


@pytest.fixture
def stub() -> Iterator[Echo]:
    stub = Echo()
    with stub.running() as stub.address:
        yield stub


def server(stub: Echo, **options: Any) -> ElasticsearchServer:
    return ElasticsearchServer(stub.address, first_wait=0.001, **options)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(429, "429"), (500, "500"), (503, "503"), ("close", "connection")],
)
def test_a_passing_fault_is_tried_again_and_counted(
    stub: Echo, fault: int | str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    stub.faults = [fault, fault]
    client = server(stub)
    assert client.call("POST", "/x", {"a": "물"}) == {"said": {"a": "물"}}
    assert client.repeats == {kind: 2}
    assert len(stub.requests) == 3
    assert f"attempt 2 failed ({kind})" in caplog.text


def test_a_cut_answer_is_tried_again(stub: Echo) -> None:
    stub.faults = ["cut"]
    client = server(stub)
    assert client.call("POST", "/x", {"a": 1}) == {"said": {"a": 1}}
    assert client.repeats.total() == 1


def test_a_lasting_fault_ends_in_one_sentence_with_its_counts(stub: Echo) -> None:
    stub.faults = [429, 500, 500, "close"]
    with pytest.raises(
        ValueError, match=r"failed in 4 attempts \(429 1 times, 500 2 times, connection 1 times\)"
    ):
        server(stub, attempts=4).call("GET", "/x")
    assert len(stub.requests) == 4


def test_an_answer_that_is_busy_in_part_is_asked_again(stub: Echo) -> None:
    answers = iter([True, False])
    client = server(stub)
    client.call("POST", "/x", {"a": 1}, busy=lambda answer: next(answers))
    assert client.repeats == {"429": 1}


def test_a_refusal_is_not_tried_again_and_says_the_reason(stub: Echo) -> None:
    stub.faults = [400]
    with pytest.raises(RefusedError, match=r"refuses it \(400\): .*as told") as refused:
        server(stub).call("GET", "/x")
    assert refused.value.status == 400
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("kind", "command"),
    [(ElasticsearchServer, "analysis-nori"), (QdrantServer, "qdrant/qdrant")],
)
def test_a_server_that_is_not_there_is_answered_with_the_command_that_starts_one(
    kind: type[SearchServer], command: str
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(ValueError, match=f"docker run .*{command}") as error:
            kind(address, attempts=2, first_wait=0.0).call("GET", "/x")
    assert address in str(error.value)
    assert f"another address into {kind.variable}." in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "option", "header", "value"),
    [
        (ElasticsearchServer, "key_from", "Authorization", "ApiKey s3cret"),
        (ElasticsearchServer, "login_from", "Authorization", "Basic czNjcmV0"),
        (QdrantServer, "key_from", "Api-Key", "s3cret"),
    ],
)
def test_a_key_is_read_from_its_variable_and_leaks_nowhere(
    stub: Echo,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type[SearchServer],
    option: str,
    header: str,
    value: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SEARCH_KEY", "s3cret")
    client = kind(stub.address, first_wait=0.0, **{option: "SEARCH_KEY"})
    stub.faults = [429, 403]
    with pytest.raises(RefusedError, match="does not let us in") as refused:
        client.call("GET", "/x")
    assert {name.title(): text for name, text in stub.headers.items()}[header] == value
    told = f"{refused.value} {client!r} {vars(client)} {describe(client)} {caplog.text}"
    assert "s3cret" not in told
    assert "czNjcmV0" not in told


def test_an_empty_variable_is_named(stub: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARCH_KEY", raising=False)
    with pytest.raises(ValueError, match="environment variable SEARCH_KEY is empty"):
        server(stub, key_from="SEARCH_KEY").call("GET", "/x")
    assert stub.requests == []


def test_how_a_server_is_asked_changes_no_stored_result(stub: Echo) -> None:
    one = server(stub)
    assert describe(one) == describe(replace(one, attempts=2, timeout=1.0, key_from="K"))
    assert describe(one) != describe(replace(one, address="http://elsewhere:9200"))


@pytest.mark.parametrize("address", ["", "localhost:9200", "ftp://x", "http://"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="has no address"):
        ElasticsearchServer(address)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="login_from") as error:
        ElasticsearchServer("http://me:s3cret@localhost:9200")
    assert "s3cret" not in str(error.value)


@pytest.mark.parametrize("option", [{"attempts": 0}, {"timeout": 0.0}, {"first_wait": -1.0}])
def test_impatience_below_nothing_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="give attempts from 1"):
        QdrantServer("http://localhost:6333", **option)
