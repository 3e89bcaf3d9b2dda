"""Are the numbers right? The scoring kernel on cases small enough to check by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.evaluation import evaluate
from experiments.schema import Report
from retrievers.ranking import Ranking

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Case:
    """One query with its results and labels, and what each metric must say.

    found: ids, or ids with scores, best first; None where the ranking does not name the query.
    expected: metric -> score; None where the query must not be scored.
    """

    name: str
    found: Sequence[str] | Sequence[tuple[str, float]] | None
    grades: Mapping[str, int]
    expected: Mapping[str, float | None]
    rel_level: int = 1
    empty_qrels: str = "skip"

    def score(self, metric: str) -> float | None:
        """What our kernel says."""
        results: dict[str, list[Any]] = {} if self.found is None else {"q": [*self.found]}
        ranking = Ranking.from_lists(results, node_ids=sorted(self.grades))
        scores = evaluate(
            ranking,
            {"q": self.grades},
            [metric],
            rel_level=self.rel_level,
            empty_qrels=self.empty_qrels,
            queries=["q"],
        )
        return scores.mean()[metric].mean


A, AB, NONE = {"A": 1}, {"A": 1, "B": 1}, dict[str, int]()
GRADED = {"A": 1, "B": 2}

CASES = (
    Case("all found, in front", "ABX", AB, {"map@3": 1, "mrr@3": 1, "ndcg@10": 1, "recall@3": 1}),
    Case("one of two, second", "XA", AB, {"map@3": 1 / 4, "mrr@3": 1 / 2, "recall@3": 1 / 2}),
    Case("fewer results than k", "XA", AB, {"precision@3": 1 / 3, "hit_rate@1": 0}),
    Case("R counts, found or not", "ABC", dict.fromkeys("ABCD", 1), {"map@3": 3 / 4, "map": 3 / 4}),
    Case("found below k", "XYZA", A, {"map@3": 0, "mrr@3": 0, "mrr": 1 / 4, "recall@3": 0}),
    Case("ties: the order counts", (("z", 1.0), ("a", 1.0)), {"a": 1}, {"mrr@3": 0.5, "map": 0.5}),
    Case("ties: renamed, the same", (("a", 1.0), ("z", 1.0)), {"z": 1}, {"mrr@3": 0.5, "map": 0.5}),
    Case("a repeated id, kept once", "AAB", AB, {"map@3": 1, "recall@3": 1, "precision@3": 2 / 3}),
    Case("empty result", "", A, {"map@3": 0, "ndcg@10": 0, "failure_rate@3": 1, "judged@3": None}),
    Case("query not in the ranking", None, A, {"map@3": 0, "mrr@3": 0, "1-recall@3": 1}),
    Case("nothing relevant: skip", "X", {"X": 0}, {"map@3": None, "ndcg@10": None, "judged@3": 1}),
    Case(
        "nothing relevant: zero",
        "X",
        NONE,
        {"map@3": 0, "recall@3": 0, "failure_rate@3": 1, "1-recall@3": 1},
        empty_qrels="zero",
    ),
    Case(
        "graded gains",
        "AB",
        GRADED,
        {"ndcg@10": (1 + 2 / log2(3)) / (2 + 1 / log2(3)), "ndcg@1": 1 / 2, "map@3": 1},
    ),
    Case("only grade 2 counts", "AB", GRADED, {"map@3": 1 / 2, "recall@1": 0}, rel_level=2),
    Case("a negative grade gains 0", "SA", {"S": -2, **A}, {"ndcg": 1 / log2(3), "judged@2": 1}),
    Case("some never judged", "AXU", {"X": 0, **A}, {"judged@3": 2 / 3, "judged@2": 1}),
    Case("competition: over hits", "AXB", AB, {"map_comp@3": 5 / 6, "mrr_comp@3": 1}),
    Case("competition: short pays", "A", AB, {"map_comp@3": 1, "map@3": 1 / 2}),
    Case("competition: second place", "XA", A, {"map_comp@3": 1 / 2, "mrr_comp@3": 1 / 2}),
    Case("competition: fourth place", "XYZA", A, {"map_comp@3": 0, "mrr_comp@3": 0}),
    Case("competition: rightly silent", "", NONE, {"map_comp@3": 1, "mrr_comp@3": 1}),
    Case("competition: wrongly spoken", "X", NONE, {"map_comp@3": 0, "mrr_comp@3": 0}),
    Case("competition: wrongly silent", "", A, {"map_comp@3": 0, "mrr_comp@3": 0}),
)


@dataclass(frozen=True, slots=True)
class Selftest:
    """The golden cases as a table: case, metric, expected, got, ok."""

    def run(self) -> Report:
        """Score and print every case. Raises ValueError if a single number is off."""
        table = Table("case", "metric", "expected", "got", "ok", title="The scoring kernel")
        wrong = []
        for case, metric, expected, got in _results():
            right = _same(expected, got)
            table.add_row(
                case.name, metric, _shown(expected), _shown(got), "yes" if right else "NO"
            )
            if not right:
                wrong.append(f"{metric} of {case.name!r} is {_shown(got)}, not {_shown(expected)}")
        Console().print(table)
        if wrong:
            raise ValueError(
                f"{len(wrong)} scores are wrong, first {wrong[0]}: do not trust a run."
            )
        return Report()


def _results() -> Iterator[tuple[Case, str, float | None, float | None]]:
    for case in CASES:
        for metric, expected in case.expected.items():
            yield case, metric, expected, case.score(metric)


def _same(expected: float | None, got: float | None) -> bool:
    if expected is None or got is None:
        return expected is got
    return abs(expected - got) <= _ROUNDING


def _shown(score: float | None) -> str:
    return "not scored" if score is None else f"{score:.4f}"
