"""The second table of a comparison: what each pipeline costs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.console import say, terminal
from experiments.cost.figure import pareto_figure
from experiments.cost.measures import BUILD, BYTES, P50, P95, TIMED, TOKENS, USD
from experiments.cost.pareto import dominated
from experiments.figures import write_figure

if TYPE_CHECKING:
    from experiments.result import Result

CLEARLY = 0.1
"""Times that lie closer together than this share are called the same: another run may turn them."""


def show_costs(results: Mapping[str, Result]) -> None:
    """Milliseconds, build time, size, tokens and money; those that another beats are marked."""
    from rich.table import Table
    from rich.text import Text

    out = terminal()
    table = Table(title="Cost", title_justify="left")
    table.add_column("pipeline")
    for heading in ("ms a query\np50", "ms a query\np95", "build s", "index", "tokens", "USD"):
        table.add_column(heading, justify="right")
    for name, result in results.items():
        table.add_row(Text(name), *_cells(result.cost))
    out.print(table)
    for better, beaten in _beaten(results).items():
        are = "is" if len(beaten) == 1 else "are"
        say(
            out,
            f"{', '.join(beaten)} {are} dominated: {better} scores no worse in public and is "
            f"{CLEARLY:.0%} faster or more.",
        )
    timed = {int(result.cost[TIMED]) for result in results.values() if TIMED in result.cost}
    if timed:
        count = f"{min(timed)} to {max(timed)}" if len(timed) > 1 else str(min(timed))
        say(
            out,
            f"Milliseconds: {count} queries searched one at a time, the best of up to three tries, "
            "and stored; the later steps are the mean of their batch.",
        )
    for name, result in results.items():
        if read := sum(numbers.get("stored", 0.0) for numbers in result.usage.values()):
            say(
                out,
                f"{name}: {read:,.0f} answers of models came from the store, so its milliseconds, "
                "tokens and USD leave them out.",
            )


def _beaten(results: Mapping[str, Result]) -> dict[str, list[str]]:
    """Pipeline -> those that it dominates."""
    found: dict[str, list[str]] = {}
    for name, better in dominated(public_scores(results), _times(results), margin=CLEARLY).items():
        found.setdefault(better, []).append(name)
    return found


def write_cost_figure(folder: Path, results: Mapping[str, Result]) -> list[Path]:
    """Write cost.html; no file where fewer than two pipelines have a score and a time."""
    scores, times = public_scores(results), _times(results)
    if len({*scores} & {*times}) < 2:
        return []
    metric = next(result.scores.metrics[0] for result in results.values() if result.scores)
    costs = {name: result.cost for name, result in results.items()}
    return [write_figure(pareto_figure(scores, costs, metric), folder / "cost.html")]


def public_scores(results: Mapping[str, Result]) -> dict[str, float]:
    """Pipeline -> public mean of the first metric, turned so that higher is better."""
    found = {}
    for name, result in results.items():
        if result.scores is not None:
            mean = result.means["public"][result.scores.metrics[0]].mean
            if mean is not None:
                found[name] = mean if result.scores.higher_is_better[0] else -mean
    return found


def _times(results: Mapping[str, Result]) -> dict[str, float]:
    return {name: result.cost[P50] for name, result in results.items() if P50 in result.cost}


def _cells(cost: Mapping[str, float]) -> list[str]:
    numbers = [f"{cost[name]:.2f}" if name in cost else "–" for name in (P50, P95, BUILD)]
    size = f"{cost[BYTES] / 2**20:.1f} MiB" if BYTES in cost else "–"
    money = f"{cost[USD]:.4f}" if USD in cost else "unknown"
    return [*numbers, size, f"{cost.get(TOKENS, 0):,.0f}", money]
