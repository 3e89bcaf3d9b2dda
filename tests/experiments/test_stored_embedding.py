"""An embedding behind a store: what the model is asked, and when its vectors are lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from llama_index.core.embeddings import BaseEmbedding

from experiments import identity
from experiments.store import NoStore
from experiments.stored_embedding import StoredEmbedding
from retrievers import e5
from retrievers.e5 import E5SmallEmbedding
from retrievers.lsa import LsaEmbedding


class Lengths(BaseEmbedding):
    """The length of a text; notes how many texts it gets at once and fails when told to."""

    asked: list[int] = []  # noqa: RUF012
    fails_at: str = ""

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        if self.fails_at in texts:
            raise KeyboardInterrupt
        self.asked.append(len(texts))
        return [[float(len(text))] for text in texts]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def test_the_model_gets_blocks_of_the_size_it_asks_for() -> None:
    model = Lengths(embed_batch_size=5, fails_at="none")
    stored = StoredEmbedding(model=model, store=NoStore())
    texts = ["x" * length for length in range(1, 13)]
    assert stored.get_text_embedding_batch(texts) == [[float(len(text))] for text in texts]
    assert stored.get_text_embedding_batch([*texts, "x"])[-1] == [1.0]
    assert model.asked == [5, 5, 2]


def test_what_was_done_before_an_interruption_is_kept() -> None:
    model = Lengths(embed_batch_size=2, fails_at="xxxxx")
    stored = StoredEmbedding(model=model, store=NoStore())
    texts = ["x" * length for length in range(1, 7)]
    with pytest.raises(KeyboardInterrupt):
        stored.get_text_embedding_batch(texts)
    model.fails_at = "none"
    stored.get_text_embedding_batch(texts)
    assert model.asked == [2, 2, 2]


def test_a_vector_that_is_not_finite_is_asked_for_again() -> None:
    class Broken(Lengths):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            found = super()._get_text_embeddings(texts)
            return [
                [float("nan")] if len(text) == len(self.asked) else vector
                for text, vector in zip(texts, found, strict=True)
            ]

    model = Broken(asked=[], fails_at="none")
    stored = StoredEmbedding(model=model, store=NoStore())
    assert np.isnan(stored.get_text_embedding_batch(["x", "xxx"])).tolist() == [[True], [False]]
    assert stored.get_text_embedding_batch(["x", "xxx"]) == [[1.0], [3.0]]
    assert model.asked == [2, 1]


def test_another_model_under_the_same_name_is_one_sentence() -> None:
    class Grown(Lengths):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return [[1.0] * (1 + len(self.asked)) for _ in super()._get_text_embeddings(texts)]

    stored = StoredEmbedding(model=Grown(asked=[], fails_at="none"), store=NoStore())
    stored.get_text_embedding_batch(["x"])
    with pytest.raises(ValueError, match="vectors of 2 and of 3 numbers: another model"):
        stored.get_text_embedding_batch(["x", "xxx"])


def test_all_threads_of_e5_work_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread gets past the barrier before all have arrived at it."""
    threads = 8
    everyone = Barrier(threads, timeout=5)

    class Encoder:
        dim, _lib = 1, None

        def encode(self, texts: list[str], *, is_query: bool) -> Any:
            everyone.wait()
            return np.ones((len(texts), 1), dtype=np.float32)

    monkeypatch.setattr(e5, "_e5", Encoder)
    stored = StoredEmbedding(model=E5SmallEmbedding(num_threads=threads), store=NoStore())
    assert len(stored.get_text_embedding_batch([str(number) for number in range(64)])) == 64


@pytest.fixture
def copied_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The retrievers' source in a folder of its own, which the identity reads instead."""
    shutil.copytree(identity.ROOT / "retrievers", tmp_path / "retrievers")
    with monkeypatch.context() as patch:
        patch.setattr(identity, "ROOT", tmp_path)
        forget_sources()
        yield tmp_path / "retrievers"
    forget_sources()


def forget_sources() -> None:
    for part in vars(identity).values():
        if hasattr(part, "cache_clear"):
            part.cache_clear()


@pytest.mark.parametrize(
    ("embedding", "depends"), [(E5SmallEmbedding, False), (LsaEmbedding, True)]
)
def test_only_an_embedding_that_reads_terms_depends_on_the_analyzers(
    embedding: type, depends: bool, copied_source: Path
) -> None:
    before = identity.source_of(embedding)
    with (copied_source / "analyzers.py").open("a", encoding="utf-8") as file:
        file.write("\nCHANGED = True\n")
    forget_sources()
    assert (identity.source_of(embedding) != before) is depends


def test_it_bears_the_name_of_the_model_that_does_the_work() -> None:
    embedding = StoredEmbedding(model=LsaEmbedding(), store=NoStore())
    assert embedding.model_name == "lsa"
