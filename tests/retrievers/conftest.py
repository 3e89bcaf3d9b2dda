"""Servers for the presets that search one: started once, on this machine, when a test asks."""

from collections.abc import Iterator

import pytest

from tests.retrievers.stub_search_server import StubElasticsearch, StubQdrant, StubServer

STUBS: dict[str, tuple[str, type[StubServer]]] = {
    "elasticsearch": ("ELASTICSEARCH_URL", StubElasticsearch),
    "qdrant": ("QDRANT_URL", StubQdrant),
}


@pytest.fixture(autouse=True)
def search_server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preset named like a server finds a stub of it at its address."""
    parameters = getattr(request.node, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        if isinstance(value, str) and value in STUBS:
            address = request.getfixturevalue(f"{value}_address")
            monkeypatch.setenv(STUBS[value][0], address)


@pytest.fixture(scope="session")
def elasticsearch_address() -> Iterator[str]:
    with StubElasticsearch().running() as address:
        yield address


@pytest.fixture(scope="session")
def qdrant_address() -> Iterator[str]:
    with StubQdrant().running() as address:
        yield address
