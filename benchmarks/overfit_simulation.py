"""How often is a verdict wrong? Trials with known truth, judged by the functions that users get.

    python -m benchmarks.overfit_simulation --scenario null --n 110 --trials 50 --replicates 2000
    python -m benchmarks.overfit_simulation --grid null --replicates 2000

A query has a difficulty b ~ N(0, 1.6), a system a level theta and its own luck e ~ N(0, 0.55) on
every query; the score is the average precision 0, 1/3, 1/2, 5/6 or 1 by where theta + b + e falls.
The mean of a system, and so every true effect, is taken over 200,000 queries. Both halves have n
queries. `--level` is the mean of the baseline, lowered where an effect leaves no room above it.

Scenarios. Null, nobody better: `null`; `correlated`: trials share 80 % of their luck; `skewed`:
many small gains against few total losses, mean zero. `effect`: one trial is truly better by
`--effect`, the rest equal the baseline. Tuning on the public half, nobody better: `climb`: every
trial changes the best so far and stays if it gains, all logged; `unlogged`: only the last of 50
such steps is logged; `vote`: the trials that beat the baseline vote (Blum & Hardt, ICML 2015).
`leak`: one trial answers `--leak` of the public queries rightly because it has seen the labels;
`leak_failing`: they are queries on which the baseline scores below 1/2.

A cell's result is a line in `--file`; a stopped run goes on, and a finished cell is not run again.
Rates are in percent. "REAL, false": REAL said of a trial that is not better.
"""

from __future__ import annotations

import argparse
import json
import math
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from experiments.metrics.significance import mean_interval
from experiments.overfit.optimism import optimism
from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores
from experiments.overfit.verdict import judge

Array = np.ndarray[Any, Any]

DIFFICULTY, LUCK, TRUTH = 1.6, 0.55, 200_000
PRECISIONS = np.array([0, 1 / 3, 1 / 2, 5 / 6, 1])
CUTS = np.array([-0.6, -0.35, -0.1, 0.0])
SIZES, COUNTS, EFFECTS = (110, 220, 500, 1000), (1, 10, 50, 200), (0.013, 0.024, 0.05, 0.11)
HIGHEST, STEPS, KEPT, SHARED = 0.97, 50, 0.9, 0.8


@dataclass(frozen=True)
class Cell:
    """One line of the table."""

    scenario: str
    n: int
    trials: int
    effect: float = 0.0
    leak: int = 0
    level: float = 0.92


def scored(u: Array) -> Array:
    """Average precision by where the latent value falls."""
    places = np.zeros(u.shape, dtype=np.int8)
    for cut in CUTS:
        places += u >= cut
    return PRECISIONS[places]


@cache
def reference() -> Array:
    """b + e of the queries that truth is taken over."""
    return np.random.default_rng(1).normal(0, math.hypot(DIFFICULTY, LUCK), TRUTH)


@cache
def theta_of(mean: float) -> float:
    """The level of a system with this mean score, by bisection."""
    low, high = -10.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if scored(middle + reference()).mean() < mean else (low, middle)
    return low


def draw(cell: Cell, rng: np.random.Generator) -> tuple[TrialScores, Array]:
    """Scores of the baseline (row 0) and the trials on both halves, and each row's true effect."""
    width, truth = 2 * cell.n, np.zeros(cell.trials + 1)
    if cell.scenario == "skewed":
        table = skewed(cell.trials, width, rng)
        return halves(table, cell.n), truth
    level = min(cell.level, HIGHEST - cell.effect)
    base = theta_of(level)
    b = rng.normal(0, DIFFICULTY, width)
    luck = LUCK * standard_luck(cell, base + b, rng)
    theta = np.full(cell.trials + 1, base)
    if cell.scenario == "effect":
        better = rng.integers(1, cell.trials + 1)
        theta[better], truth[better] = theta_of(level + cell.effect), cell.effect
    table = scored(theta[:, None] + b + luck)
    if cell.scenario.startswith("leak"):
        public = np.arange(cell.n)
        if cell.scenario == "leak_failing":
            public = np.flatnonzero(table[0, : cell.n] < 0.5)
        seen = rng.permutation(public)[: cell.leak]
        table[rng.integers(1, cell.trials + 1), seen] = 1.0
    return halves(table, cell.n), truth


def halves(table: Array, n: int) -> TrialScores:
    """The first n columns are public."""
    names = [f"t{row}" for row in range(len(table))]
    return TrialScores(names, public=table[:, :n], private=table[:, n:])


def standard_luck(cell: Cell, known: Array, rng: np.random.Generator) -> Array:
    """Each row's luck, standard normal on fresh queries whatever the public half made of it."""
    rows, width = cell.trials + 1, len(known)
    if cell.scenario == "unlogged":
        return climb(known, STEPS, cell.n, rng)[[0, -1]]
    if cell.scenario == "climb":
        return climb(known, cell.trials, cell.n, rng)
    own = rng.standard_normal((rows, width))
    if cell.scenario == "correlated":
        shared = rng.standard_normal(width)
        own[1:] = math.sqrt(SHARED) * shared + math.sqrt(1 - SHARED) * own[1:]
    if cell.scenario == "vote":
        means = scored(known[: cell.n] + LUCK * own[:-1, : cell.n]).mean(axis=1)
        voters = own[1:-1][means[1:] > means[0]]
        if len(voters):
            own[-1] = voters.sum(axis=0) / math.sqrt(len(voters))
    return own


def climb(known: Array, steps: int, n: int, rng: np.random.Generator) -> Array:
    """The baseline's luck, that of each step, and in the last row that of the best."""
    tried = rng.standard_normal((steps + 1, len(known)))
    means = [float(scored(known[:n] + LUCK * tried[0, :n]).mean())]
    best = 0
    for step in range(1, steps + 1):
        tried[step] = KEPT * tried[best] + math.sqrt(1 - KEPT**2) * tried[step]
        means.append(float(scored(known[:n] + LUCK * tried[step, :n]).mean()))
        best = step if means[step] > means[best] else best
    if steps == STEPS and best:
        tried[[best, -1]] = tried[[-1, best]]
    return tried


def skewed(trials: int, width: int, rng: np.random.Generator) -> Array:
    """A tenth of the queries rise from 5/6 to 1, a fiftieth falls to 0: the mean stays."""
    u = rng.random((trials + 1, width))
    u[0] = 0.5
    return np.where(u < 0.02, 0.0, np.where(u >= 0.9, 1.0, 5 / 6))


def replicate(cell: Cell, number: int, draws: int) -> list[float]:
    """What one draw says, in the order of `COLUMNS`."""
    seed = zlib.crc32(json.dumps(asdict(cell)).encode())
    scores, truth = draw(cell, np.random.default_rng([seed, number]))
    gains = scores.gains()
    winner = gains.winner
    effect = truth[gains.rows[winner]]
    shown = judge(gains, rules=Rules(draws=draws, seed=number))
    private = np.full_like(scores.private, np.nan)
    opened = [0, int(gains.rows[winner])]
    private[opened] = scores.private[opened]
    closed = TrialScores(scores.names, public=scores.public, private=private).gains()
    opening = judge(closed, rules=Rules(look=1, draws=draws, seed=number))
    low, high = mean_interval(gains.private[winner])
    chosen = optimism(gains.public, draws=60, seed=number)
    return [
        *said(shown.word.value, effect),
        *said(opening.word.value, effect),
        float(low - 1e-9 <= effect <= high + 1e-9),
        chosen.observed - effect,
        chosen.corrected - effect,
        shown.evidence.drop.drop,
        float(effect > 0),
    ]


COLUMNS = (
    *(
        f"{mode} {word}"
        for mode in ("shown", "sealed")
        for word in ("REAL", "false", "OVERFIT", "NOISE", "wrong NOISE", "UNRESOLVED")
    ),
    "covered",
    "observed - true",
    "corrected - true",
    "drop",
    "best chosen",
)


def said(word: str, effect: float) -> list[float]:
    """REAL, REAL falsely, OVERFIT, NOISE, NOISE of an effect that matters, UNRESOLVED."""
    flags = (
        word == "REAL" and effect > 0,
        word == "REAL" and effect <= 0,
        word == "OVERFIT",
        word == "NOISE",
        word == "NOISE" and effect >= 0.02,
        word == "UNRESOLVED",
    )
    return [float(flag) for flag in flags]


def run(job: tuple[Cell, int, int]) -> dict[str, Any]:
    """A cell's means over its replicates."""
    cell, replicates, draws = job
    start = perf_counter()
    rows = np.array([replicate(cell, number, draws) for number in range(replicates)])
    means = {name: round(float(rows[:, place].mean()), 5) for place, name in enumerate(COLUMNS)}
    seconds = round(perf_counter() - start, 1)
    drops = np.quantile(rows[:, COLUMNS.index("drop")], np.linspace(0, 1, 201)).round(5).tolist()
    return {
        "cell": asdict(cell),
        "replicates": replicates,
        "seconds": seconds,
        **means,
        "drops": drops,
    }


def grid(name: str) -> Iterator[Cell]:
    """The cells of a named part of the table."""
    several = COUNTS[1:]
    if name == "null":
        yield from (Cell("null", n, k) for n in SIZES for k in COUNTS)
        yield from (Cell("correlated", n, k) for n in SIZES for k in several)
        yield from (Cell("skewed", n, k) for n in SIZES for k in (1, 50))
    if name == "tuned":
        yield from (Cell("unlogged", n, 1) for n in SIZES)
        yield from (Cell(way, n, k) for way in ("climb", "vote") for n in SIZES for k in several)
    if name == "effect":
        yield from (Cell("effect", n, k, e) for e in EFFECTS for n in SIZES for k in COUNTS)
    if name == "leak":
        for k in COUNTS[:3]:
            yield Cell("null", 110, k, level=0.8)
            yield from (Cell("leak", n, k, leak=round(0.05 * n)) for n in SIZES)
            for leak in (8, 12, 16):
                yield Cell("leak_failing", 110, k, leak=leak, level=0.8)


def finished(path: Path) -> list[dict[str, Any]]:
    """The results in the file; a line that a killed run left half is cut off."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def table(results: list[dict[str, Any]]) -> str:
    """Markdown, rates in percent and errors in thousandths of score."""
    percent, thousandths = COLUMNS[: COLUMNS.index("covered") + 1], COLUMNS[-4:-1]
    heads = ["scenario", "n", "K", "effect", "leak", "level", "replicates", *percent, *thousandths]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for result in results:
        cell = result["cell"]
        values = [cell[name] for name in ("scenario", "n", "trials", "effect", "leak", "level")]
        values += [result["replicates"]]
        values += [f"{100 * result[name]:.1f}" for name in percent]
        values += [f"{1000 * result[name]:+.1f}" for name in thousandths]
        lines.append("| " + " | ".join(map(str, values)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run the chosen cells that the file lacks, then print the table."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--grid", choices=("null", "tuned", "effect", "leak"))
    arguments.add_argument("--scenario", default="null")
    arguments.add_argument("--n", type=int, nargs="*", default=[110])
    arguments.add_argument("--trials", type=int, nargs="*", default=[50])
    arguments.add_argument("--effect", type=float, default=0.0)
    arguments.add_argument("--leak", type=int, default=0)
    arguments.add_argument("--level", type=float, default=0.92)
    arguments.add_argument("--replicates", type=int, default=2_000)
    arguments.add_argument("--draws", type=int, default=119, help="Monte Carlo draws in a verdict")
    arguments.add_argument("--processes", type=int, default=1)
    arguments.add_argument("--file", type=Path, default=Path("runs/overfit_simulation.jsonl"))
    options = arguments.parse_args()
    cells = [
        Cell(options.scenario, n, trials, options.effect, options.leak, options.level)
        for n in options.n
        for trials in options.trials
    ]
    if options.grid:
        cells = sorted(grid(options.grid), key=lambda cell: cell.n * cell.trials)
    wanted = [asdict(cell) for cell in cells]
    done = [result["cell"] for result in finished(options.file)]
    jobs = [(cell, options.replicates, options.draws) for cell in cells if asdict(cell) not in done]
    options.file.parent.mkdir(parents=True, exist_ok=True)
    with get_context("spawn").Pool(options.processes) as pool:
        for result in pool.imap_unordered(run, jobs):
            with options.file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
            print(table([result]).split("\n")[-1], f"{result['seconds']} s", flush=True)
    print(table([result for result in finished(options.file) if result["cell"] in wanted]))


if __name__ == "__main__":
    main()
