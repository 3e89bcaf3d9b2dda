"""Clients as YAML names them: the key's variable, and models that a library does not know."""

import pytest

from generation import embedding_servers, servers
from generation.model_identity import describe_model

pytest.importorskip("llama_index.llms.openai_like")


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")


@pytest.mark.usefixtures("key")
def test_a_model_that_the_library_does_not_know_is_one_sentence_without_a_list():
    with pytest.raises(
        ValueError, match=r"llm\.llm\.model is gpt-99, which .* llm=openai_like"
    ) as said:
        servers.openai("gpt-99")
    assert len(str(said.value)) < 400
    assert "secret" not in str(said.value)
    assert servers.openai("gpt-4o-mini").metadata.model_name == "gpt-4o-mini"


@pytest.mark.usefixtures("key")
def test_an_embedding_model_needs_not_be_known():
    client = embedding_servers.openai("embedding-99")
    assert client.model_name == "embedding-99"
    assert "embedding-99" in str(describe_model(client))


@pytest.mark.parametrize("make", [servers.openai, embedding_servers.openai])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_key_that_is_not_set_is_asked_for_by_its_variable(make, value, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(ValueError, match="environment variable OPENAI_API_KEY, which is not set"):
        make("text-embedding-3-small")


def test_a_server_without_a_key_gets_none_whatever_the_environment_holds(key):
    client = servers.openai_like("m", api_base="http://localhost:1/v1")
    assert "secret" not in str(client.api_key)
