"""`+experiment=ledger dataset=…`: how much has been tried on a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.schema import Report

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.ledger import Tally
    from experiments.setting import Setting

_PURPOSE = (
    "What it is for: the best of many equal systems looks better than it is, the more so the more "
    "were tried. A p-value that is to hold for the best one is corrected for all that have a "
    "score, on whichever split; a failed one could not be chosen. A trial that is run again counts "
    "once."
)


@dataclass(frozen=True, kw_only=True)
class LedgerTable:
    """Prints the distinct trials of the setting's dataset, and of its public half."""

    setting: Setting

    def run(self) -> Report:
        """The table, and what the count is for. Raises ValueError where nothing is counted."""
        from rich.console import Console

        ledger = self.setting.ledger
        if ledger is None:
            raise ValueError("ledger=null keeps no trials: leave it out to see those of a dataset.")
        dataset = self.setting.dataset.load()
        public = self.setting.split.divide(dataset).public
        here = ledger.count(dataset.fingerprint, public)
        out = Console()
        if tallies := ledger.tallies(dataset.fingerprint):
            out.print(_table(tallies))
        total = ledger.count(dataset.fingerprint)
        said = (
            f"{dataset.name}: {total:,} distinct trials, {here:,} of them with the public half "
            f"of this split ({len(public)} queries); {ledger.failed(dataset.fingerprint):,} failed "
            "and have no score."
        )
        for sentence in (said, _PURPOSE):
            out.print(sentence, markup=False, highlight=False, soft_wrap=True)
        return Report()


def _table(tallies: Sequence[Tally]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title_justify="left")
    for heading in ("day", "experiment", "split", "public queries", "trials"):
        table.add_column(heading, justify="left" if heading in ("day", "experiment") else "right")
    splits = {number: str(place) for place, number in enumerate(_splits(tallies), start=1)}
    for tally in tallies:
        cells = (splits[tally.split], str(tally.public), f"{tally.trials:,}")
        table.add_row(tally.day, Text(tally.experiment), *cells)
    return table


def _splits(tallies: Sequence[Tally]) -> list[int]:
    return list(dict.fromkeys(tally.split for tally in tallies))
