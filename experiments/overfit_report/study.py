"""`+experiment=overfit_report`: is the best trial of a sweep better, or was it chosen by luck?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.console import say, show_notes, terminal
from experiments.overfit.rules import Rules
from experiments.overfit_report import words
from experiments.overfit_report.findings import Findings, findings, layout_of
from experiments.overfit_report.gather import gather
from experiments.overfit_report.measures import measures
from experiments.overfit_report.of_runs import gather_runs
from experiments.overfit_report.of_sweep import PAGE
from experiments.overfit_report.page import ladder_table, write_page
from experiments.schema import Report, RunRecord

if TYPE_CHECKING:
    from experiments.overfit.redraws import Layout
    from experiments.overfit_report.gathered import Gathered
    from experiments.schema import Dataset
    from experiments.setting import Setting


@dataclass(frozen=True, kw_only=True)
class OverfitReport:
    """The card of one trial, the ladder, and what choosing among all trials did.

    folder: of a sweep, or of a run with several pipelines.
    runs: ids of MLflow runs, which are read instead of a folder; None reads the folder.
    baseline: the trial that the others are held against; None takes the first.
    trial: the one to judge; None takes the best in public.
    metric: None takes the first of the trials.
    """

    title: str
    setting: Setting
    folder: str = "runs/sweeps/latest"
    runs: Sequence[str] | None = None
    baseline: str | None = None
    trial: str | None = None
    metric: str | None = None
    rules: Rules = field(default_factory=Rules)

    def run(self) -> Report:
        """Write the page, print the card, track both.

        Raises ValueError for a folder or runs without scores, and for an unknown trial or metric.
        """
        started = time.time()
        gathered = self._gathered()
        dataset = self.setting.dataset.load()
        same = dataset.fingerprint == gathered.dataset
        if not same:
            show_notes(
                [
                    f"These trials ran on another dataset than {dataset.name}: give its options "
                    "(dataset=…) to count the ledger's trials and to re-draw its split as it was."
                ]
            )
        found = findings(
            gathered,
            baseline=self.baseline,
            trial=self.trial,
            layout=self._layout(dataset, gathered) if same else None,
            ledger=self.setting.ledger if same else None,
            rules=self.rules,
        )
        folder = self.setting.open_folder(self.title)
        page = write_page(folder / PAGE, found)
        self.setting.point_latest(folder)
        self._track(found, dataset if same else None, started, page)
        show(found, page)
        return Report(folder=folder)

    def _gathered(self) -> Gathered:
        if self.runs is None:
            return gather(Path(self.folder), self.metric)
        return gather_runs(self.runs, getattr(self.setting.tracker, "uri", None), self.metric)

    def _layout(self, dataset: Dataset, gathered: Gathered) -> Layout:
        ids = [*gathered.public_ids, *gathered.private_ids]
        return layout_of(dataset, self.setting.split, ids)

    def _track(self, found: Findings, dataset: Dataset | None, started: float, page: Path) -> None:
        card = found.card
        self.setting.track(
            RunRecord(
                name=f"{card.trial} against {card.baseline}",
                experiment=self.title,
                dataset=dataset,
                group=None if dataset else self.title,
                started=started,
                ended=time.time(),
                params={
                    "verdict": str(card.verdict.word),
                    "trial": card.trial,
                    "baseline": card.baseline,
                    "metric": found.gathered.metric,
                    "trials from": ", ".join(self.runs) if self.runs else self.folder,
                },
                measures=measures(found),
                files=[page],
            )
        )


def show(found: Findings, page: Path) -> None:
    """The ladder, the card and what stands around it."""
    out = terminal()
    out.print(ladder_table(found))
    card = found.card
    say(out, f"{card.trial} against {card.baseline}: {card.verdict.word}")
    say(out, f"{card.verdict.sentence} {words.next_to_best(found)}".rstrip())
    for word, sentence in words.about(found):
        say(out, f"- {word}: {sentence}")
    say(out, f"Report: {page}")
