"""No key, token or password is written down."""

import json

import pytest

from experiments.identity import describe
from experiments.secrets import is_secret, masked, without_credentials


class Model:
    def __init__(self, model, *, api_key, max_tokens=5):
        self.model, self.api_key, self.max_tokens = model, api_key, max_tokens


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("llm.api_key=sk-1", "llm.api_key=…"),
        ("+password=a=b", "+password=…"),
        ("tracker.uri=http://me:sesame@host:5000/x", "tracker.uri=http://…@host:5000/x"),
        ("retriever.k1=1.2", "retriever.k1=1.2"),
        ("llm.max_tokens=100", "llm.max_tokens=100"),
    ],
)
def test_a_word_of_the_command_is_written_without_its_secret(word, written):
    assert masked(word) == written


@pytest.mark.parametrize("name", ["tokenizer", "max_tokens", "keys", "id_column", "headers_only"])
def test_options_that_only_sound_like_one_are_kept(name):
    assert not is_secret(name)


def test_a_part_is_described_without_its_key():
    described = json.dumps(describe(Model("m", api_key="sk-secret")))
    assert "sk-secret" not in described
    assert describe(Model("m", api_key="a")) == describe(Model("m", api_key="b"))
    assert describe(Model("m", api_key="a")) != describe(Model("m", api_key="a", max_tokens=6))


@pytest.mark.parametrize(
    ("address", "written"),
    [
        ("http://someone:s3cret@127.0.0.1:1/?token=abc", "http://127.0.0.1:1/"),
        ("postgresql://u:p@db/x?sslmode=no", "postgresql://db/x?sslmode=no"),
        ("tracker.uri=https://u:p@h/x", "tracker.uri=https://h/x"),
        ("sqlite:///runs/mlflow.db", "sqlite:///runs/mlflow.db"),
    ],
)
def test_addresses_are_written_without_credentials(address, written):
    assert without_credentials(address) == written
