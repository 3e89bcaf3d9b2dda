"""The report at the end of a sweep: the winner against the first trial, in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from experiments.console import say, terminal
from experiments.overfit_report.findings import findings, layout_of
from experiments.overfit_report.gather import gather
from experiments.overfit_report.measures import measures
from experiments.overfit_report.page import write_page

if TYPE_CHECKING:
    from experiments.ledger import Ledger
    from experiments.schema import Dataset

PAGE = "overfit.html"


class SweepReport(NamedTuple):
    """What the sweep's own run keeps: the page, the word and its numbers."""

    page: Path
    word: str
    measures: Mapping[str, float]


def sweep_report(
    folder: Path, dataset: Dataset, split: Any, ledger: Ledger | None
) -> SweepReport | None:
    """Write the page into the sweep's folder and print its verdict; None where none can be given.

    The first trial is the baseline; `+experiment=overfit_report report.baseline=NAME` takes
    another.
    """
    out = terminal()
    if dataset.qrels is None and dataset.spans is None:
        say(out, f"No overfitting report: {dataset.name} has no labels, so no trial is scored.")
        return None
    try:
        gathered = gather(folder)
        ids = [*gathered.public_ids, *gathered.private_ids]
        found = findings(gathered, layout=layout_of(dataset, split, ids), ledger=ledger)
    except ValueError as reason:
        say(out, f"No overfitting report: {reason}")
        return None
    card = found.card
    say(out, f"{card.trial} against {card.baseline}: {card.verdict.word}. {card.verdict.sentence}")
    page = write_page(folder / PAGE, found)
    say(out, f"Report: {page}")
    return SweepReport(page, str(card.verdict.word), measures(found))
