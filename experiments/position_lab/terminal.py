"""What the lab shows in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from experiments.console import say, terminal

if TYPE_CHECKING:
    from experiments.position_lab.findings import Findings


def show(found: Findings, said: Sequence[str], folder: Path) -> None:
    """Conditions down, positions across; then the sentences, and where the files are."""
    out = terminal()
    positions = sorted({position for one in found.conditions for position in one.positions})
    table = Table(title="accuracy by position of the evidence", title_justify="left")
    table.add_column("condition")
    for position in positions:
        table.add_column(f"{position} %", justify="right")
    for heading in ("gap", "p"):
        table.add_column(heading, justify="right")
    for one in found.conditions:
        means = dict(zip(one.positions, (share.mean for share in one.accuracy), strict=True))
        cells = [*(means.get(position) for position in positions), one.gap.gap, one.gap.p]
        table.add_row(one.condition.label, *map(_cell, cells))
    out.print(table)
    for line in said:
        say(out, line)
    say(out, f"Written to {folder} (and {folder.parent.parent / 'latest'}).")


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
