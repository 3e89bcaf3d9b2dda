"""What each term of a document is worth in BM25: five variants over counts, all terms at once.

The variants are those of Kamphuis, de Vries, Boytsov & Lin (ECIR 2020), and their values those of
bm25s (Lù, 2024), which counts document by document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Method = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]
Values = NDArray[np.float64]


def count_terms(
    batches: Iterable[Sequence[Sequence[str]]],
) -> tuple[dict[str, int], sparse.csr_array]:
    """(term -> its number in sorted order, how often each document has each term [d, terms]).

    batches: documents by their terms, a thousand or so at a time. The terms of each are numbered
        by themselves, in a table that the processor's cache holds, and let go before the next.
    Raises UnicodeEncodeError for a term with a lone surrogate, which no analyzer here gives.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    none = pa.array([], type=pa.string()).dictionary_encode()
    encoded, lengths = [none], [0]
    for batch in batches:
        terms = pa.array([*chain.from_iterable(batch)], type=pa.string())
        encoded.append(terms.dictionary_encode())
        lengths += map(len, batch)
    batches_alike = pa.chunked_array(encoded).unify_dictionaries().chunks
    names = batches_alike[0].dictionary
    in_order = pc.sort_indices(names)
    place = np.empty(len(names), dtype=np.int32)
    place[in_order.to_numpy()] = np.arange(len(names))
    seen = place[np.concatenate([batch.indices.to_numpy() for batch in batches_alike])]
    counts = sparse.csr_array(
        (np.ones(len(seen), dtype=np.int32), seen, np.cumsum(lengths)),
        shape=(len(lengths) - 1, len(names)),
    )
    counts.sum_duplicates()
    return {term: row for row, term in enumerate(names.take(in_order).to_pylist())}, counts


def bm25_weights(
    counts: sparse.csr_array, method: Method, k1: float, b: float, delta: float
) -> tuple[sparse.csr_array, Values]:
    """(weights above the floor [terms, d], each term's floor [terms]).

    The floor is what "bm25l" and "bm25+" give a document that lacks the term; 0 for the others.
    """
    documents, terms = counts.shape
    idf = _IDF[method](np.bincount(counts.indices, minlength=terms), documents)
    lengths = np.asarray(counts.sum(axis=1), dtype=np.float64)
    norm = 1 - b + b * lengths / (lengths.mean() if lengths.any() else 1.0)
    floors = idf * _FLOOR[method](k1, delta)
    norms = np.repeat(norm, np.diff(counts.indptr))
    raw = _SATURATION[method](counts.data.astype(np.float64), norms, k1, delta)
    weights = idf[counts.indices] * raw
    if floors.any():
        weights -= floors[counts.indices]
    table = sparse.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
    return table.T.tocsr(), floors


def _robertson(tf: Values, norm: Values, k1: float, delta: float) -> Any:
    return tf / (k1 * norm + tf)


def _atire(tf: Values, norm: Values, k1: float, delta: float) -> Any:
    return tf * (k1 + 1) / (tf + k1 * norm)


def _bm25l(tf: Values, norm: Values, k1: float, delta: float) -> Any:
    shifted = tf / norm + delta
    return (k1 + 1) * shifted / (k1 + shifted)


def _bm25plus(tf: Values, norm: Values, k1: float, delta: float) -> Any:
    return _atire(tf, norm, k1, delta) + delta


_SATURATION: dict[Method, Callable[[Values, Values, float, float], Any]] = {
    "lucene": _robertson,
    "robertson": _robertson,
    "atire": _atire,
    "bm25l": _bm25l,
    "bm25+": _bm25plus,
}

_FLOOR: dict[Method, Callable[[float, float], float]] = {
    "lucene": lambda k1, delta: 0.0,
    "robertson": lambda k1, delta: 0.0,
    "atire": lambda k1, delta: 0.0,
    "bm25l": lambda k1, delta: (k1 + 1) * delta / (k1 + delta) if delta else 0.0,
    "bm25+": lambda k1, delta: delta,
}

_IDF: dict[Method, Callable[[NDArray[Any], int], Values]] = {
    "lucene": lambda df, n: np.log(1 + (n - df + 0.5) / (df + 0.5)),
    "robertson": lambda df, n: np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1.0)),
    "atire": lambda df, n: np.log(n / df),
    "bm25l": lambda df, n: np.log((n + 1) / (df + 0.5)),
    "bm25+": lambda df, n: np.log((n + 1) / df),
}
