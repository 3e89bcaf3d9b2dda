"""Stand-ins for what some presets need: a search server on this machine, or torch."""

import sys
from collections.abc import Iterator

import pytest

from tests.retrievers.stub_search_server import StubElasticsearch, StubQdrant, StubServer
from tests.retrievers.stub_transformer import MODULES

STUBS: dict[str, tuple[str, type[StubServer]]] = {
    "elasticsearch": ("ELASTICSEARCH_URL", StubElasticsearch),
    "qdrant": ("QDRANT_URL", StubQdrant),
}


@pytest.fixture(autouse=True)
def stand_ins(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preset named like a server finds a stub of it at its address, late chunking a library."""
    parameters = getattr(request.node, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        if isinstance(value, str) and value in STUBS:
            address = request.getfixturevalue(f"{value}_address")
            monkeypatch.setenv(STUBS[value][0], address)
        if isinstance(value, str) and value == "late_chunking":
            request.getfixturevalue("stub_transformer")


@pytest.fixture
def stub_transformer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of letters in the place of torch and transformers."""
    for name, module in MODULES.items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture(scope="session")
def elasticsearch_address() -> Iterator[str]:
    with StubElasticsearch().running() as address:
        yield address


@pytest.fixture(scope="session")
def qdrant_address() -> Iterator[str]:
    with StubQdrant().running() as address:
        yield address
