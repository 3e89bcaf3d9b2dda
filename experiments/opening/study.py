"""`+experiment=open_private`: the sealed half is scored for one trial and its baseline alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.opening import words
from experiments.opening.kept import write_opening, write_scores
from experiments.opening.sealed import gather_sealed
from experiments.opening.shown import others_shown, record_opened, with_shown
from experiments.opening.stored_ranking import StoredRanking, read_stored
from experiments.openings import Look, Question, count_opening, was_shown
from experiments.overfit.rules import Rules
from experiments.overfit_report.findings import Findings, best_name, findings, layout_of
from experiments.overfit_report.measures import measures
from experiments.overfit_report.of_sweep import PAGE
from experiments.overfit_report.page import write_page
from experiments.overfit_report.study import show
from experiments.schema import Report, RunRecord

if TYPE_CHECKING:
    from experiments.ledger import Ledger
    from experiments.overfit_report.gathered import Gathered
    from experiments.schema import Dataset
    from experiments.setting import Setting
    from experiments.splits import Split


@dataclass(frozen=True, kw_only=True)
class OpenPrivate:
    """Judges a trial that was fixed by public scores on the private half, and counts the look.

    folder: of a sweep or a run that was made with `split.sealed=true`.
    trial: its name; None takes the best in public.  baseline: None takes the first.
    metric: None takes the first.  rules: their `look` is set here.
    """

    title: str
    setting: Setting
    folder: str = "runs/sweeps/latest"
    trial: str | None = None
    baseline: str | None = None
    metric: str | None = None
    rules: Rules = field(default_factory=Rules)

    def run(self) -> Report:
        """Count the opening, score both rankings, write and print the verdict.

        Raises ValueError without a ledger, for a folder that was not sealed or ran on another
        dataset or split, for an unknown trial, and where a stored ranking does not give the
        public scores that stand beside it.
        """
        started, ledger = time.time(), self.setting.ledger
        if ledger is None:
            raise ValueError("ledger=null counts no openings: leave it out to open the seal.")
        _ = self.rules.level  # an impossible one is refused before a look is spent
        dataset = self.setting.dataset.load()
        split = self.setting.split.divide(dataset)
        gathered = gather_sealed(Path(self.folder), self.metric, dataset, split)
        pair = self._pair(gathered, dataset)
        look = self._look(ledger, gathered, dataset, split, pair)
        opened = self._opened(gathered, dataset, split, pair)
        record_opened(ledger, opened, pair, self.title)
        found = self._judged(opened, look, pair, dataset, ledger)
        return self._keep(found, look, dataset, started)

    def _judged(
        self,
        opened: Gathered,
        look: Look | None,
        pair: tuple[StoredRanking, StoredRanking],
        dataset: Dataset,
        ledger: Ledger,
    ) -> Findings:
        trial, baseline = (stored.name for stored in pair)
        rules = replace(self.rules, look=look.number if look else None)
        shown = others_shown(ledger, opened) if look else 0
        notes = words.of_seal(look, rules, trial=trial, shown=shown)
        ids = [*opened.public_ids, *opened.private_ids]
        return findings(
            replace(opened if look else with_shown(opened, ledger), notes=opened.notes + notes),
            baseline=baseline,
            trial=trial,
            layout=layout_of(dataset, self.setting.split, ids),
            ledger=ledger,
            rules=rules,
        )

    def _pair(self, gathered: Gathered, dataset: Dataset) -> tuple[StoredRanking, StoredRanking]:
        """The trial and the baseline, whose rankings give the public scores that were stored."""
        base = gathered.row(self.baseline)
        row = gathered.row(self.trial or best_name(gathered, base))
        if row == base:
            raise ValueError(
                f'The trial "{gathered.names[row]}" is the baseline: give another open.baseline.'
            )
        return self._read(gathered, row, dataset), self._read(gathered, base, dataset)

    def _read(self, gathered: Gathered, row: int, dataset: Dataset) -> StoredRanking:
        stored = read_stored(gathered.names[row], gathered.folders[row], dataset)
        now = stored.scores(self.setting.metrics, gathered.metric, dataset, gathered.public_ids)
        if not np.allclose(now, gathered.public[row], equal_nan=True):
            raise ValueError(
                f'The ranking of "{stored.name}" does not give the public scores that stand '
                "beside it: give the metrics options that it ran with, or run it again."
            )
        return stored

    def _look(
        self,
        ledger: Ledger,
        gathered: Gathered,
        dataset: Dataset,
        split: Split,
        pair: tuple[StoredRanking, StoredRanking],
    ) -> Look | None:
        """Counted before anything private is computed; None where the seal had been broken."""
        trial, baseline = pair
        mark, private = dataset.fingerprint, split.held_out
        if was_shown(ledger, mark, trial=trial.mark, private=private):
            return None
        question = Question(trial=trial.mark, baseline=baseline.mark, metric=gathered.metric)
        return count_opening(ledger, mark, private, question)

    def _opened(
        self,
        gathered: Gathered,
        dataset: Dataset,
        split: Split,
        pair: Sequence[StoredRanking],
    ) -> Gathered:
        """With the private scores of these two; those of all other trials stay unknown."""
        held_out = split.held_out
        private = np.full((len(gathered.names), len(held_out)), np.nan)
        for stored in pair:
            private[gathered.row(stored.name)] = stored.scores(
                self.setting.metrics, gathered.metric, dataset, held_out
            )
        return replace(gathered, private_ids=held_out, private=private)

    def _keep(self, found: Findings, look: Look | None, dataset: Dataset, started: float) -> Report:
        folder = self.setting.open_folder(self.title)
        page = write_page(folder / PAGE, found)
        files = [page, write_scores(folder, found), write_opening(folder, found, look)]
        self.setting.point_latest(folder)
        card = found.card
        self.setting.track(
            RunRecord(
                name=f"{card.trial} against {card.baseline}",
                experiment=self.title,
                dataset=dataset,
                started=started,
                ended=time.time(),
                params={
                    "verdict": str(card.verdict.word),
                    "trial": card.trial,
                    "baseline": card.baseline,
                    "metric": found.gathered.metric,
                    "look": str(look.number) if look else "the seal was broken",
                    "trials from": self.folder,
                },
                measures=measures(found),
                files=files,
            )
        )
        show(found, page)
        return Report(folder=folder)
