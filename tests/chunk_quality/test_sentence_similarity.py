"""The mean cosine of sentence pairs: exact values, the plain loop as oracle, bad input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.bridge.pydantic import Field
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode

from chunk_quality.reading import read
from chunk_quality.sentence_similarity import ROWS, SentenceSimilarity, mean_pair_cosine
from experiments.store import Store
from experiments.stored_embedding import StoredEmbedding
from retrievers.local_embedding import LocalEmbedding, Vectors
from retrievers.lsa import LsaEmbedding


class Table(BaseEmbedding):
    """Vectors by text; it keeps what it was asked."""

    vectors: Mapping[str, Any]
    asked: list[str] = Field(default_factory=list)

    def _get_text_embedding(self, text: str) -> list[float]:
        self.asked.append(text)
        return list(self.vectors[text])

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def nodes(*texts: str) -> list[TextNode]:
    return [TextNode(id_=f"d{i}", text=text) for i, text in enumerate(texts)]


def plain_loop(vectors: np.ndarray, owners: np.ndarray, n_chunks: int) -> list[float]:
    means = []
    for chunk in range(n_chunks):
        rows = [row for row in vectors[owners == chunk].astype(np.float64) if row.any()]
        cosines = [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in combinations(rows, 2)]
        means.append(float(np.mean(cosines)) if cosines else np.nan)
    return means


def test_three_vectors_with_known_cosines_give_their_mean() -> None:
    vectors = [[1, 0], [0, 3], [2, 2]]  # cosines 0, 1/sqrt 2, 1/sqrt 2
    found = mean_pair_cosine(vectors, [0, 0, 0], 1)
    assert found.dtype == np.float64
    assert found.tolist() == pytest.approx([2 * np.sqrt(0.5) / 3], abs=1e-15)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), n_chunks=st.integers(1, 6), size=st.integers(0, 30))
def test_it_is_the_mean_over_pairs_of_the_plain_loop(data, n_chunks: int, size: int) -> None:
    numbers = st.integers(-3, 3).map(float)
    rows = st.lists(numbers, min_size=4, max_size=4)
    vectors = np.array(data.draw(st.lists(rows, min_size=size, max_size=size))).reshape(size, 4)
    owners = np.array(
        data.draw(st.lists(st.integers(0, n_chunks - 1), min_size=size, max_size=size)), dtype=int
    )
    found = mean_pair_cosine(vectors, owners, n_chunks)
    np.testing.assert_allclose(found, plain_loop(vectors, owners, n_chunks), atol=1e-12)


def test_blocks_of_rows_do_not_show() -> None:
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(2 * ROWS + 7, 3)).astype(np.float32)
    owners = np.sort(generator.integers(0, ROWS // 2, size=len(vectors)))
    found = mean_pair_cosine(vectors, owners, ROWS // 2)
    some = np.unique(owners[[0, ROWS - 1, ROWS, 2 * ROWS, -1]])
    expected = [plain_loop(vectors[owners == c], np.zeros((owners == c).sum()), 1)[0] for c in some]
    np.testing.assert_allclose(found[some], expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_lengths_do_not_matter_however_long(scale: float) -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 1.0], [scale, scale]])
    found = mean_pair_cosine(vectors * [[scale], [1.0], [1.0]], [0, 0, 0], 1)
    assert found.tolist() == pytest.approx([(2 * np.sqrt(0.5) + 1) / 3], abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(count=st.integers(2, 300), seed=st.integers(0, 99))
def test_equal_vectors_give_one_and_never_more(count: int, seed: int) -> None:
    row = np.random.default_rng(seed).normal(size=(1, 5)).astype(np.float32)
    found = mean_pair_cosine(np.repeat(row, count, axis=0), np.zeros(count, dtype=int), 1)
    assert 1 - 1e-12 <= found[0] <= 1


@pytest.mark.parametrize(
    ("vectors", "owners", "n_chunks", "message"),
    [
        ([[1.0], [2.0]], [0], 1, "do not fit"),
        ([1.0, 2.0], [0, 0], 1, "do not fit"),
        ([[1.0]], [1], 1, "between 0 and 0"),
        ([[1.0]], [-1], 1, "between 0 and 0"),
        ([[np.nan]], [0], 1, "finite"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(vectors, owners, n_chunks, message) -> None:
    with pytest.raises(ValueError, match=message):
        mean_pair_cosine(vectors, owners, n_chunks)


def test_chunks_without_a_pair_have_no_value_and_are_counted_apart() -> None:
    vectors = {"Ice.": [1, 0], "Fog.": [1, 1], "Dew.": [0, 0], "Sun.": [0, 2]}
    texts = ["Ice. Fog.", "Ice.", "", "Dew. Ice.", "Dew. Ice. Sun.", "?!", "Dew."]
    found = SentenceSimilarity(Table(vectors=vectors)).measure(nodes(*texts))
    np.testing.assert_allclose(
        found.values, [np.sqrt(0.5), np.nan, np.nan, np.nan, 0, np.nan, np.nan], atol=1e-7
    )
    assert (found.n_scored, found.n_single, found.n_empty, found.n_undirected) == (2, 2, 2, 1)
    assert found.n_zero_vectors == 3
    assert found.mean == pytest.approx(np.sqrt(0.5) / 2, abs=1e-7)


def test_a_sentence_that_repeats_is_embedded_once() -> None:
    table = Table(vectors={"Ice.": [1, 0], "Fog.": [0, 1]})
    found = SentenceSimilarity(table).measure(nodes("Ice. Fog.", "Ice. Ice.", "Fog. Ice. Ice."))
    assert table.asked == ["Ice.", "Fog."]
    np.testing.assert_allclose(found.values, [0, 1, 1 / 3], atol=1e-12)


def test_progress_sees_every_batch() -> None:
    seen: list[int] = []

    def track(batches, label):
        for number, batch in enumerate(batches):
            seen.append(number)
            yield batch

    part = SentenceSimilarity(Table(vectors={"Ice.": [1], "Fog.": [1], "Dew.": [1]}), batch_size=2)
    vectors = part.embed(read(nodes("Ice. Fog. Dew.")), track)
    assert (seen, vectors.shape, vectors.dtype) == ([0, 1], (3, 1), np.float32)


def test_no_chunk_at_all() -> None:
    found = SentenceSimilarity(Table(vectors={})).measure([])
    assert (found.values.tolist(), found.mean, found.n_scored) == ([], None, 0)


def test_only_empty_chunks_have_no_mean() -> None:
    found = SentenceSimilarity(LsaEmbedding()).measure(nodes("", " ", "..."))
    assert (found.mean, found.n_empty, found.n_scored) == (None, 3, 0)


def test_a_vector_that_is_not_finite_names_its_sentence() -> None:
    table = Table(vectors={"Ice.": [1.0], "Fog.": [float("nan")]})
    with pytest.raises(ValueError, match=r"not finite: 'Fog\.'"):
        SentenceSimilarity(table).measure(nodes("Ice. Fog."))


TOPICS = (
    "Ice floats on water. Water freezes into ice. Cold water turns to ice.",
    "Bees visit flowers. Flowers feed the bees. Bees carry pollen of flowers.",
    "얼음은 물에 뜬다. 물이 얼면 얼음이 된다. 얼음은 찬 물이다.",
)


def test_lsa_is_fitted_on_the_sentences_and_the_one_handed_in_stays_unfitted() -> None:
    lsa = LsaEmbedding(dimensions=4)
    found = SentenceSimilarity(lsa).measure(nodes(*TOPICS, "Bees carry ice. 얼음은 뜬다."))
    assert found.n_scored == 4
    assert found.values[:3].min() > found.values[3]
    with pytest.raises(ValueError, match="knows no corpus yet"):
        lsa.get_text_embedding("ice")


def test_terms_that_were_read_already_give_the_vectors_of_the_texts() -> None:
    chunks, lsa = nodes(*TOPICS), LsaEmbedding(dimensions=4)
    shared = SentenceSimilarity(lsa).embed(read(chunks))
    apart = SentenceSimilarity(lsa).embed(read(chunks, terms="unicode"))
    np.testing.assert_allclose(shared @ shared.T, apart @ apart.T, atol=1e-6)


def test_what_cannot_embed_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ValueError, match="embedding is 'lsa': give a LlamaIndex embedding"):
        SentenceSimilarity("lsa")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size is 0"):
        SentenceSimilarity(LsaEmbedding(), batch_size=0)


class Arrays(LocalEmbedding):
    """Vectors by text, as one array."""

    vectors: Mapping[str, Any]

    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def test_vectors_handed_out_as_an_array_are_those_of_the_lists(tmp_path: Path) -> None:
    reading = read(nodes(*TOPICS))
    vectors = {text: [len(text), text.count("e"), 1.5] for text in reading.sentences}
    lists = SentenceSimilarity(Table(vectors=vectors)).embed(reading)
    arrays = Arrays(vectors=vectors)
    stored = StoredEmbedding(model=arrays, store=Store(tmp_path))
    for embedding in (arrays, stored, stored):
        np.testing.assert_array_equal(SentenceSimilarity(embedding).embed(reading), lists)
