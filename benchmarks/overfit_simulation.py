"""How often is a verdict wrong? Trials with known truth, judged by the functions that users get.

    python -m benchmarks.overfit_simulation --scenario null --n 110 --trials 50 --replicates 2000
    python -m benchmarks.overfit_simulation --grid null --replicates 2000

What is drawn: `benchmarks/overfit_scenarios.py`. A cell's result is a line in `--file`; a stopped
run goes on, and a finished cell is not run again. What came out: docs/overfitting_rates.md.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.overfit_scenarios import Cell, draw, opened
from experiments.metrics.significance import mean_interval
from experiments.overfit.optimism import optimism
from experiments.overfit.rules import Rules
from experiments.overfit.verdict import judge

SIZES, COUNTS, EFFECTS = (110, 220, 500, 1000), (1, 10, 50, 200), (0.013, 0.024, 0.05, 0.11)


def replicate(cell: Cell, number: int, draws: int) -> list[float]:
    """What one draw says, in the order of `COLUMNS`."""
    seed = zlib.crc32(json.dumps(asdict(cell)).encode())
    scores, truth = draw(cell, np.random.default_rng([seed, number]))
    gains = scores.gains()
    winner = gains.winner
    effect = truth[gains.rows[winner]]
    shown = judge(gains, rules=Rules(draws=draws, seed=number))
    closed = opened(scores, int(gains.rows[winner])).gains()
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
        for k in (1, 50):
            yield Cell("null", 110, k, level=0.8)
            yield from (Cell("leak", n, k, leak=round(0.05 * n)) for n in SIZES)
            yield from (Cell("leak_failing", 110, k, leak=x, level=0.8) for x in (8, 11, 16))
            yield Cell("leak_failing", 110, k, leak=8)


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
