"""Time and memory of index and candidates as the corpus grows: no worse than linear a chunk.

    python -m benchmarks.growth [--sizes 4000 40000 400000] [--rounds 5]

BM25 over generated text (a Zipfian vocabulary that grows with the corpus) and exact search over
seeded random unit vectors, 384 dimensions; embedding is left out. 100 queries, depth 100, nothing
stored. Each point is a process of its own, in alternating rounds; medians are printed, the memory
is the highest resident set above that of the same process before it indexed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

QUERIES, DEPTH, DIMENSIONS, WORDS = 100, 100, 384, 60


def texts(count: int, seed: int = 0) -> list[str]:
    """Texts of `WORDS` words; a word's frequency falls as one over its rank."""
    rng = np.random.default_rng(seed)
    vocabulary = int(40 * count**0.6)  # Heaps' law
    weights = 1.0 / np.arange(1, vocabulary + 1)
    drawn = rng.choice(vocabulary, size=(count, WORDS), p=weights / weights.sum())
    return [" ".join(f"w{word}" for word in row) for row in drawn]


def bm25(count: int) -> tuple[Callable[[], Any], Callable[[], Any], Any]:
    """(index, search, retriever) over generated text."""
    from retrievers.bm25 import BM25Retriever

    corpus, retriever = texts(count), BM25Retriever("unicode")
    queries = [" ".join(text.split()[:8]) for text in texts(QUERIES, seed=1)]
    return lambda: retriever.index(corpus), lambda: retriever.search(queries, DEPTH), retriever


def dense(count: int) -> tuple[Callable[[], Any], Callable[[], Any], Any]:
    """(index, search, retriever) over random vectors; what an embedding would have given."""
    from retrievers.dense import DenseRetriever

    rng = np.random.default_rng(0)
    retriever = DenseRetriever(embedding=None)  # type: ignore[arg-type]
    vectors = _units(rng.standard_normal((count, DIMENSIONS), dtype=np.float32))
    queries = _units(rng.standard_normal((QUERIES, DIMENSIONS), dtype=np.float32))
    retriever._embed = lambda given, queries: given  # type: ignore[method-assign, misc]
    return lambda: retriever.index(vectors), lambda: retriever.search(queries, DEPTH), retriever  # type: ignore[arg-type]


def _units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)  # type: ignore[no-any-return]


METHODS = {"bm25": bm25, "dense": dense}


def measure(method: str, count: int) -> dict[str, float]:
    """Seconds to index, to save, to load and to search, and the megabytes they took at most."""
    warm_up, first_search, _ = METHODS[method](200)  # imports are no growth
    warm_up()
    first_search()
    index, search, retriever = METHODS[method](count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = {"index": _seconds(index)}
    with tempfile.TemporaryDirectory() as folder:
        figures["save"] = _seconds(lambda: retriever.save(Path(folder)))
        figures["load"] = _seconds(lambda: retriever.load(Path(folder)))
        figures["search"] = _seconds(search)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return figures | {"megabytes": (after - before) / 1024}


def _seconds(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _in_a_process(method: str, count: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.growth", "--one", method, str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def table(sizes: list[int], rounds: int) -> str:
    """One row a method and size: medians, and how cost a chunk grew since the smallest size."""
    points = [(method, size) for method in METHODS for size in sizes]
    found: dict[tuple[str, int], list[dict[str, float]]] = {point: [] for point in points}
    for turn in range(rounds):
        for point in points:
            if turn == 0 or point[1] < 200_000:  # the largest takes minutes: once
                found[point].append(_in_a_process(*point))
    names = list(next(iter(found.values()))[0])
    head = " | ".join(name if name == "megabytes" else f"{name} s" for name in names)
    lines = [f"| method | chunks | {head} | time a chunk | memory a chunk |", "|---" * 9 + "|"]
    for (method, size), several in found.items():
        middle = {name: median(one[name] for one in several) for name in names}
        first = {name: median(one[name] for one in found[method, sizes[0]]) for name in names}
        growth = _per_chunk(middle, size) / _per_chunk(first, sizes[0])
        memory = middle["megabytes"] / size / (first["megabytes"] / sizes[0])
        cells = " | ".join(f"{middle[name]:.3g}" for name in names)
        lines.append(f"| {method} | {size:,} | {cells} | x {growth:.2f} | x {memory:.2f} |")
    return "\n".join(lines)


def _per_chunk(figures: dict[str, float], size: int) -> float:
    return (figures["index"] + figures["search"]) / size


def main() -> None:
    """Measure and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[4_000, 40_000, 400_000])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--one", nargs=2, metavar=("METHOD", "CHUNKS"), help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.one:
        print(json.dumps(measure(options.one[0], int(options.one[1]))))
    else:
        print(table(options.sizes, options.rounds))


if __name__ == "__main__":
    main()
