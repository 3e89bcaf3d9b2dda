"""Our BM25 side by side with bm25s: from the terms of a corpus to the best 100 of every query.

    python -m benchmarks.bm25 [--sizes 4000 40000] [--rounds 5]

Generated text of `benchmarks.growth`, read by the same analyzer on both sides beforehand; bm25s
with its NumPy backend and doubles, as ours. Medians over alternating rounds.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from bm25s import BM25

from benchmarks.alternating import alternate
from benchmarks.growth import DEPTH, QUERIES, texts
from retrievers.analyzers import analyzer
from retrievers.bm25 import BM25Retriever

Terms = list[list[str]]


def bm25s_scores(corpus: Terms, queries: Terms) -> np.ndarray[Any, Any]:
    """The best scores of every query, by bm25s."""
    model = BM25(dtype="float64", backend="numpy")
    model.index(corpus, show_progress=False)
    _, scores = model.retrieve(queries, k=DEPTH, show_progress=False)
    return np.asarray(scores)


def our_scores(corpus: Terms, queries: Terms) -> np.ndarray[Any, Any]:
    """The same by `BM25Retriever`."""
    retriever = BM25Retriever("unicode")
    retriever.index_terms(corpus)
    _, scores = retriever.search([" ".join(terms) for terms in queries], DEPTH)
    return np.nan_to_num(scores)


def main() -> None:
    """Measure and print both sides."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[4_000, 40_000])
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    words = analyzer("unicode")
    queries = [terms[:8] for terms in words.analyze_many(texts(QUERIES, seed=1))]
    for size in options.sizes:
        corpus = words.analyze_many(texts(size))
        alternate(
            f"bm25s, {size} texts, {QUERIES} queries",
            lambda corpus=corpus: bm25s_scores(corpus, queries),  # type: ignore[misc]
            lambda corpus=corpus: our_scores(corpus, queries),  # type: ignore[misc]
            options.rounds,
        )


if __name__ == "__main__":
    main()
