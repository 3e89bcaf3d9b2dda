"""How long do the statistics of an overfitting report take, and how much memory?

    python -m benchmarks.overfit_report [--trials 200] [--queries 1000] [--draws 10000]

Trials and a baseline with public and private scores over `--queries` each are written to a ledger
of their own, read back (loading, printed apart), then the card and the ladder of the ten best are
made. Peak memory is that of the whole process, libraries included.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from experiments.ledger import Ledger, LedgerEntry, ScoreRow
from experiments.overfit.card import card
from experiments.overfit.ladder import ladder
from experiments.overfit.redraws import Layout
from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores

METRIC = "map@3"


def record(path: Path, trials: int, queries: int) -> dict[str, tuple[str, ...]]:
    """Write equal trials to a ledger; returns the query ids of either half."""
    rng = np.random.default_rng(0)
    ids = {side: tuple(f"{side}{row}" for row in range(queries)) for side in ("public", "private")}
    hard = rng.normal(2.3, 1.6, (2, queries))
    entries = []
    for trial in range(trials + 1):
        values = (hard + rng.normal(0, 0.55, (2, queries)) > 0).astype(float)
        rows = [ScoreRow(side, METRIC, ids[side], values[place]) for place, side in enumerate(ids)]
        entries.append(LedgerEntry(f"t{trial}", ids["public"], "benchmark", rows))
    Ledger(path).record("data", entries)
    return ids


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--trials", type=int, default=200)
    arguments.add_argument("--queries", type=int, default=1_000)
    arguments.add_argument("--draws", type=int, default=10_000)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        ids = record(path, options.trials, options.queries)
        start = perf_counter()
        halves = [Ledger(path).scores("data", METRIC, ids[side], side) for side in ids]
        loading = perf_counter() - start
    names = [f"t{row}" for row in range(options.trials + 1)]
    strata = [row % 5 for row in range(2 * options.queries)]
    scores = TrialScores(names, public=halves[0], private=halves[1], layout=Layout(strata))
    rules = Rules(draws=options.draws)
    start, begun = perf_counter(), process_time()
    made = card(scores, rules=rules)
    ladder(scores, rules=rules)
    seconds, processor = perf_counter() - start, process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(
        f"{options.trials} trials x {options.queries} queries a half, B = {options.draws}: "
        f"{seconds:.1f} s ({processor:.1f} s of processor), loading {loading:.2f} s, "
        f"peak {peak:.0f} MiB; verdict {made.verdict.word}"
    )


if __name__ == "__main__":
    main()
