"""Our search over fusion weights side by side with ranx.optimize_fusion, and 10,000 weightings.

    python -m benchmarks.fusion_search [--queries 220] [--candidates 400] [--signal 2.5]

1. Two parts, z-scores, map@3, the same weights on both sides; per trial, after ranx has compiled.
   Our preparation is shared by the trials, so `--steps` matters: 10 is ranx's own default.
   Ours starts from the candidate lists and the dictionary of labels: union, normalisation, the
   kernel and the scores are in its time. ranx starts from its own Run and Qrels objects.
2. 10,000 triples (dense, sparse, rerank) with map@3 and mrr@3 of every query kept: wall time, and
   the most memory beyond what stood before (tracemalloc, in a run of its own).
Medians over alternating rounds; the garbage collector is off while a clock runs. `--signal` is by
how many deviations the relevant documents stand out; 0 hides them, the worst case for the kernel.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks.alternating import timed
from experiments.fusion.kernel import FusionKernel
from experiments.fusion.simplex import Grid, Random
from experiments.metrics.measures import parse
from experiments.metrics.relevance import Labels
from retrievers.ranking import best_first
from retrievers.score_fusion import PartRule, contribution, union

Lists = list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]
MEASURES = (parse("map@3"), parse("mrr@3"))


@dataclass(frozen=True)
class Case:
    """The candidate lists of several parts, with labels."""

    lists: Lists
    query_ids: list[str]
    node_ids: list[str]
    qrels: dict[str, dict[str, int]]


def draw(parts: int, queries: int, candidates: int, documents: int, signal: float) -> Case:
    """Random scores of all documents, cut to each part's best; one to three relevant ones each."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(parts, queries, documents))
    query_ids = [f"q{row}" for row in range(queries)]
    qrels = {}
    for row, query in enumerate(query_ids):
        relevant = rng.choice(documents, rng.integers(1, 4), replace=False)
        scores[:, row, relevant] += signal
        qrels[query] = {f"d{node}": 1 for node in relevant}
    lists = [best_first(table, candidates) for table in scores]
    return Case(lists, query_ids, [f"d{node}" for node in range(documents)], qrels)


def our_search(case: Case, weights: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The scores [w, q] of each measure, from candidate lists and labels."""
    rows, stacked = union(case.lists)
    rule = PartRule(normalise="zscore", missing="zero")
    terms = np.stack([contribution(scores, rows, rule, None) for scores in stacked])
    labels = Labels.of(case.qrels, case.query_ids, case.node_ids)
    scores = [np.empty((len(weights), len(case.query_ids))) for _ in MEASURES]
    used = weights > 0
    for support in np.unique(used, axis=0):
        # A part of weight 0 brings no candidates; here they stay, as ranx keeps them.
        kernel = FusionKernel.of(terms[support], rows, labels, 3)
        own, done = np.flatnonzero((used == support).all(axis=1)), 0
        for relevance in kernel.relevance(weights[np.ix_(own, np.flatnonzero(support))]):
            some = own[done : done + relevance.grades.shape[0]]
            for table, measure in zip(scores, MEASURES, strict=True):
                table[some] = measure.score(relevance)
            done += len(some)
    return scores


def ranx_search(case: Case, steps: int) -> Callable[[], float]:
    """ranx.optimize_fusion over the same lists; returns the best map@3."""
    from ranx import Qrels, Run, optimize_fusion

    qrels = Qrels(case.qrels)
    runs = [
        Run(
            {
                query: {
                    case.node_ids[node]: float(score)
                    for node, score in zip(rows[place], scores[place], strict=True)
                    if node >= 0
                }
                for place, query in enumerate(case.query_ids)
            },
            name=f"part {part}",
        )
        for part, (rows, scores) in enumerate(case.lists)
    ]

    def search() -> float:
        _, report = optimize_fusion(
            qrels=qrels,
            runs=runs,
            norm="zmuv",
            method="wsum",
            step=1 / steps,
            metric="map@3",
            show_progress=False,
            return_optimization_report=True,
        )
        return float(max(report.results))

    return search


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=220)
    arguments.add_argument("--candidates", type=int, default=400)
    arguments.add_argument("--documents", type=int, default=4_272)
    arguments.add_argument("--signal", type=float, default=2.5)
    arguments.add_argument("--steps", type=int, default=50, help="weights 0, 1/50, 2/50, … 1")
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    size = (options.queries, options.candidates, options.documents, options.signal)

    two = draw(2, *size)
    weights = Grid(steps=options.steps).start(2)
    peer = ranx_search(two, options.steps)
    theirs, ours = peer(), float(our_search(two, weights)[0].mean(axis=1).max())
    seconds: dict[str, list[float]] = {"peer": [], "ours": []}
    for _ in range(options.rounds):
        seconds["peer"].append(timed(peer) / len(weights))
        seconds["ours"].append(timed(lambda: our_search(two, weights)) / len(weights))
    slow, fast = median(seconds["peer"]), median(seconds["ours"])
    print(
        f"ranx.optimize_fusion, {options.queries} x {options.candidates}, 2 parts, "
        f"each of {len(weights)} trials: peer "
        f"{slow * 1e3:.1f} ms, ours {fast * 1e3:.2f} ms, {slow / fast:.0f} times faster "
        f"(best map@3: peer {theirs:.4f}, ours {ours:.4f})"
    )

    three = draw(3, *size)
    triples = Random(points=10_000).start(3)
    spent = [timed(lambda: our_search(three, triples)) for _ in range(options.rounds)]
    began = process_time()
    our_search(three, triples)
    processor = process_time() - began
    tracemalloc.start()
    our_search(three, triples)
    extra = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(
        f"10,000 weight triples, {options.queries} x {options.candidates}, map@3 and mrr@3 of "
        f"every query: {median(spent):.2f} s ({processor:.2f} s of one core), {extra:.0f} MiB extra"
    )


if __name__ == "__main__":
    main()
