"""How alike the candidates of a query are: cosines of term counts or of embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from postprocessors.selection import Columns
from retrievers.analyzers import analyzer as analyzer_named
from retrievers.ranking import Scores


def term_similarity(texts: Sequence[str], places: Columns, analyzer: str) -> Scores:
    """Cosines of 1 + ln(tf), [q, c, c]; 0 for a text without terms and for padding.

    places: [q, c], which text each candidate is, -1 for none.
    """
    from scipy import sparse

    numbers: dict[str, int] = {}
    rows, columns = [], []
    for row, terms in enumerate(analyzer_named(analyzer).analyze_many(texts)):
        rows += [row] * len(terms)
        columns += [numbers.setdefault(term, len(numbers)) for term in terms]
    shape = (len(texts) + 1, max(len(numbers), 1))  # the last text is none
    counts = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    counts.sum_duplicates()
    counts.data = 1.0 + np.log(counts.data)
    lengths = np.sqrt(counts.multiply(counts).sum(axis=1))
    vectors = sparse.csr_array(counts.multiply(1.0 / np.maximum(lengths, 1e-300)[:, None]))
    found = np.zeros((*places.shape, places.shape[1]))
    for query, wanted in enumerate(places):
        own = vectors[wanted]
        found[query] = (own @ own.T).toarray()
    return found


def embedded(embedding: Any, texts: Sequence[str], corpus: Callable[[], Sequence[str]]) -> Scores:
    """Unit vectors, [n + 1, d]; the last one, and that of a blank text, is zero.

    corpus: what an embedding that has a `fit` is fitted on first.
    """
    if hasattr(embedding, "fit"):
        embedding.fit(corpus())
    written = [place for place, text in enumerate(texts) if text.strip()]
    found = embedding.get_text_embedding_batch([texts[place] for place in written])
    raw = np.asarray(found, dtype=np.float64).reshape(len(written), -1 if written else 0)
    norms = np.linalg.norm(raw, axis=1, keepdims=True)
    vectors = np.zeros((len(texts) + 1, raw.shape[1]))
    vectors[written] = raw / np.where(norms > 0, norms, 1.0)
    return vectors
