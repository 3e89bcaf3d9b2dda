"""Does the best trial of a sweep stand at the edge of what was tried?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from experiments.sweeps.trial import Ending, best

ENOUGH = 3


def swept_edges(trials: Sequence[Ending]) -> tuple[str, ...]:
    """One sentence for each numeric option whose best value is the smallest or largest tried.

    An option counts where three or more numbers were tried and nothing else, and where the trial
    at the edge is better than each that has another value of it.
    """
    top = best(trials)
    if top is None:
        return ()
    told = []
    for option, value in top.values.items():
        numbers = _numbers([trial.values[option] for trial in trials if option in trial.values])
        mine = _number(value)
        if len(numbers) < ENOUGH or mine is None or mine not in (numbers[0], numbers[-1]):
            continue
        if any(_ties(trial, top, option) for trial in trials):
            continue
        edge = "smallest" if mine == numbers[0] else "largest"
        told.append(
            f"The best trial has the {edge} {option} that was tried ({value}): try further "
            f"{'down' if edge == 'smallest' else 'up'} before you trust it as the best."
        )
    return tuple(told)


def _ties(trial: Ending, top: Ending, option: str) -> bool:
    other = _number(trial.values.get(option, "")) != _number(top.values[option])
    return other and trial.score("public") == top.score("public")


def _numbers(values: Sequence[str]) -> list[float]:
    """The different numbers in order; none where a value is something else."""
    found = [_number(value) for value in values]
    known = [number for number in found if number is not None]
    return sorted(set(known)) if len(known) == len(found) else []


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
