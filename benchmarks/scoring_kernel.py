"""Our scoring side by side with pytrec-eval-terrier and with compiled ranx.

    python -m benchmarks.scoring_kernel [--queries 10000] [--depth 1000] [--judged 10]

1. From integer arrays and a dictionary of labels to five metrics a query, the conversion of ids
   included on both sides: pytrec-eval-terrier against `evaluate`.
2. Kernels alone, ids already integers and everything compiled: ranx (both cores) against
   `Labels.judge` and the five measures (one core).
Medians over alternating rounds; the garbage collector is off while a clock runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.alternating import alternate
from experiments.evaluation import evaluate
from experiments.metrics.measures import parse
from experiments.metrics.relevance import Labels
from retrievers.ranking import Ranking

METRICS = {
    "map": "map",
    "mrr": "recip_rank",
    "ndcg@10": "ndcg_cut_10",
    "recall@100": "recall_100",
    "precision@10": "P_10",
}


@dataclass(frozen=True)
class Case:
    """A ranking with its labels."""

    ranking: Ranking
    qrels: dict[str, dict[str, int]]


def draw(queries: int, depth: int, documents: int, judged: int, seed: int = 0) -> Case:
    """Random results without repeats; half of the judged documents of a query stand among them."""
    rng = np.random.default_rng(seed)
    step = np.arange(depth) * 97
    nodes = ((step + rng.integers(documents, size=(queries, 1))) % documents).astype(np.int32)
    node_ids = tuple(f"d{row}" for row in range(documents))
    qrels = {}
    for row in range(queries):
        found = rng.choice(nodes[row], judged // 2, replace=False)
        labelled = np.concatenate([found, rng.integers(documents, size=judged - judged // 2)])
        grades = rng.integers(0, 3, size=judged)
        # Ids of labels come from a file of their own: equal strings, not the same objects.
        qrels[f"q{row}"] = {f"d{n}": int(g) for n, g in zip(labelled, grades, strict=True)}
    scores = np.broadcast_to(np.arange(depth, 0, -1.0), nodes.shape)
    return Case(Ranking(tuple(qrels), node_ids, nodes, scores), qrels)


def pytrec_eval_scores(case: Case) -> np.ndarray[Any, Any]:
    """Five metrics of every query, from arrays, by pytrec-eval-terrier."""
    import pytrec_eval

    ranking = case.ranking
    names = np.array(ranking.node_ids, dtype=object)
    places = [float(ranking.depth - place) for place in range(ranking.depth)]
    run = {
        query: dict(zip(names[row].tolist(), places, strict=True))
        for query, row in zip(ranking.query_ids, ranking.nodes, strict=True)
    }
    scores = pytrec_eval.RelevanceEvaluator(case.qrels, set(METRICS.values())).evaluate(run)
    return np.array([[scores[q][m] for m in METRICS.values()] for q in ranking.query_ids])


def our_scores(case: Case) -> np.ndarray[Any, Any]:
    """The same by `evaluate`, with its checks."""
    return evaluate(case.ranking, case.qrels, [*METRICS], empty_qrels="zero").values


def ranx_kernels(case: Case) -> Callable[[], np.ndarray[Any, Any]]:
    """The five compiled kernels of ranx, on integer ids converted beforehand."""
    from ranx.metrics import average_precision, ndcg, precision, recall, reciprocal_rank

    rows = {name: row for row, name in enumerate(case.ranking.node_ids)}
    width = max(len(grades) for grades in case.qrels.values())
    labels = np.full((len(case.qrels), width, 2), -1.0)
    for place, grades in enumerate(case.qrels.values()):
        ordered = sorted(grades.items(), key=lambda pair: -pair[1])
        labels[place, : len(ordered), 0] = [rows[name] for name, _ in ordered]
        labels[place, : len(ordered), 1] = [grade for _, grade in ordered]
    run = np.stack([case.ranking.nodes, case.ranking.scores], axis=2).astype(np.float64)

    def score() -> np.ndarray[Any, Any]:
        return np.stack(
            [
                average_precision(labels, run, 0, 1),
                reciprocal_rank(labels, run, 0, 1),
                ndcg(labels, run, 10, 1),
                recall(labels, run, 100, 1),
                precision(labels, run, 10, 1),
            ],
            axis=1,
        )

    return score


def our_kernels(case: Case) -> Callable[[], np.ndarray[Any, Any]]:
    """Grades, hits and the five measures, on labels converted beforehand."""
    labels = Labels.of(case.qrels, case.ranking.query_ids, case.ranking.node_ids)
    measures = [parse(name) for name in METRICS]

    def score() -> np.ndarray[Any, Any]:
        relevance = labels.judge(case.ranking.nodes)
        return np.nan_to_num(np.stack([m.score(relevance) for m in measures], axis=1))

    return score


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=10_000)
    arguments.add_argument("--depth", type=int, default=1_000)
    arguments.add_argument("--documents", type=int, default=100_000)
    arguments.add_argument("--judged", type=int, default=10, help="labels a query, half found")
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    large = draw(options.queries, options.depth, options.documents, options.judged)
    small = draw(220, 400, 4_272, options.judged)
    size = f"{options.queries} x {options.depth}, {options.judged} labels a query"
    alternate(
        f"pytrec-eval-terrier, {size}, conversion included",
        lambda: pytrec_eval_scores(large),
        lambda: our_scores(large),
        options.rounds,
    )
    alternate(
        f"ranx, {size}, kernels alone", ranx_kernels(large), our_kernels(large), options.rounds
    )
    alternate(
        "ranx, 220 x 400, kernels alone",
        ranx_kernels(small),
        our_kernels(small),
        options.rounds,
        repeat=100,
    )


if __name__ == "__main__":
    main()
