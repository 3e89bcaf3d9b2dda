"""What the lab shows in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from experiments.console import say, terminal
from experiments.position_lab.figures import all_positions, place_name

if TYPE_CHECKING:
    from experiments.position_lab.findings import Finding, Findings


def show(found: Findings, said: Sequence[str], folder: Path) -> None:
    """Conditions down, positions across; the same by kind of question; sentences, and the files."""
    out = terminal()
    out.print(_table("accuracy by position of the evidence", found.conditions))
    if found.kinds:
        out.print(_table("the same by kind of question", found.kinds))
    for line in said:
        say(out, line)
    say(out, f"Written to {folder} (and {folder.parent.parent / 'latest'}).")


def _table(title: str, findings: Sequence[Finding]) -> Table:
    positions = all_positions(findings)
    table = Table(title=title, title_justify="left")
    table.add_column("condition")
    for position in positions:
        table.add_column(place_name(position), justify="right")
    for heading in ("gap", "p"):
        table.add_column(heading, justify="right")
    for one in findings:
        means = dict(zip(one.positions, (share.mean for share in one.accuracy), strict=True))
        cells = [_cell(means.get(position)) for position in positions]
        table.add_row(one.label, *cells, _cell(one.gap.gap), _cell(one.gap.p, 4))
    return table


def _cell(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
