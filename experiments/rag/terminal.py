"""What a run of answers shows in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from experiments.console import say, terminal

if TYPE_CHECKING:
    from experiments.schema import Mean


def show(
    means: Mapping[str, Mapping[str, Mean]], counts: Mapping[str, int], folder: Path, traced: int
) -> None:
    """Metrics down, splits across; then the counts, and where the files are."""
    out = terminal()
    sides = [side for side in means if side != "all"]
    table = Table(title_justify="left")
    table.add_column("metric")
    for side in sides:
        table.add_column(side, justify="right")
    for metric in next(iter(means.values()), {}):
        table.add_row(metric, *(_cell(means[side][metric]) for side in sides))
    if table.row_count:
        out.print(table)
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    say(out, f"Answers: {told}.")
    if traced:
        say(out, f"Traces of {traced} queries stand in MLflow, at this run.")
    say(out, f"Written to {folder} (and {folder.parent.parent / 'latest'}).")


def _cell(mean: Mean) -> str:
    covers = f"{mean.n_scored}/{mean.n_total}"
    return f"– ({covers})" if mean.mean is None else f"{mean.mean:.4f} ({covers})"
