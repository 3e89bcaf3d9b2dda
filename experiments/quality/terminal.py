"""What a study of chunk quality shows in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from chunk_quality.separation import rounded
from experiments.console import say, show_notes, terminal
from experiments.quality import words

if TYPE_CHECKING:
    from experiments.quality.found import Found
    from experiments.quality.measured import Measured


def show(found: Found, notes: Sequence[str], folder: Path) -> None:
    """The table of the measures, the sentences, and where the report is."""
    show_notes(notes)
    measured = found.measured
    out = terminal()
    table = Table(title_justify="left")
    headings = ("measure", "median", "90 % between", "empty", "AUC vs shuffled")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "measure" else "right")
    for name, values in measured.columns().items():
        table.add_row(name.replace("_", " "), *_cells(values), _auc(name, measured))
    out.print(table)
    for line in words.summary(found):
        say(out, line)
    say(out, f"Report: {folder / 'chunk_quality.html'}")
    say(out, f"Read and label a sample: {folder / 'review.html'}")


def _cells(values: np.ndarray) -> list[str]:
    known = values[np.isfinite(values)]
    missing = str(len(values) - len(known))
    if not len(known):
        return ["–", "–", missing]
    middle, low, high = np.percentile(known, (50, 5, 95))
    return [f"{middle:.3g}", f"{low:.3g} … {high:.3g}", missing]


def _auc(name: str, measured: Measured) -> str:
    apart = measured.separations.get(name)
    if apart is None or apart.auc is None or apart.low is None or apart.high is None:
        return "–"
    return f"{rounded(apart.auc)} [{rounded(apart.low)}, {rounded(apart.high)}]"
