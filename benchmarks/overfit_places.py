"""How often is a trial wrongly called OVERFIT that is not the best, but was named for its place?

    python -m benchmarks.overfit_places

Equal trials of `overfit_scenarios`; the one at each public place is judged, as a report judges the
runner-up, or the best of a sweep where the ledger remembers better trials. `fixed` is a trial that
was named before anything was seen. Rates in percent of the replicates, the private half shown and
sealed.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.overfit_scenarios import Cell, draw, opened
from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores
from experiments.overfit.verdict import judge

PLACES = (0, 1, 4, 24)


def overfit(scores: TrialScores, trial: int, rules: Rules) -> bool:
    """Whether the trial in this place of the gains is called OVERFIT."""
    return judge(scores.gains(), trial=trial, rules=rules).word == "OVERFIT"


def replicate(cell: Cell, number: int, draws: int) -> list[list[bool]]:
    """For each place and the fixed trial: OVERFIT when shown, when sealed."""
    scores, _ = draw(cell, np.random.default_rng([5, number]))
    gains = scores.gains()
    order = np.argsort(-gains.public.mean(axis=1).round(9), kind="stable")
    shown, sealed = (Rules(look=look, draws=draws, seed=number) for look in (None, 1))
    return [
        [
            overfit(scores, trial, shown),
            overfit(opened(scores, int(gains.rows[trial])), trial, sealed),
        ]
        for trial in [*(int(order[place]) for place in PLACES), len(order) // 3]
    ]


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--n", type=int, default=110)
    arguments.add_argument("--trials", type=int, default=50)
    arguments.add_argument("--replicates", type=int, default=2_000)
    arguments.add_argument("--draws", type=int, default=119)
    options = arguments.parse_args()
    if options.trials < max(PLACES) + 1:
        arguments.error(f"--trials must be at least {max(PLACES) + 1}: that place is judged.")
    cell = Cell("null", options.n, options.trials)
    told = [replicate(cell, number, options.draws) for number in range(options.replicates)]
    for name, (shown, sealed) in zip([*PLACES, "fixed"], np.mean(told, axis=0), strict=True):
        print(f"| {name} | {100 * shown:.1f} | {100 * sealed:.1f} |", flush=True)


if __name__ == "__main__":
    main()
