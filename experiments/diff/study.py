"""`+experiment=diff`: two stored pipelines, question by question."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.console import say, show_notes, terminal
from experiments.diff.finding import find
from experiments.diff.moves import LOST, SAME, WON, Diff, diff
from experiments.diff.page import first_table, sentence, stage_table, write_files
from experiments.diff.side import Side, read_side
from experiments.identity import fingerprint
from experiments.label_slices import gold_labels
from experiments.pooled_scores import score_visible
from experiments.result import record_trials
from experiments.schema import Dataset, Report, RunRecord
from experiments.storable_text import storable_text
from experiments.summary import sided

if TYPE_CHECKING:
    import pandas as pd

    from experiments.setting import Setting
    from retrievers.ranking import Ranking


@dataclass(frozen=True, kw_only=True)
class DiffStudy:
    """Which questions moved from a to b, and which stage lost each gold passage.

    a, b: the folder of a run or of a sweep's trial, the name of a pipeline in `folder`, the
        beginning of its fingerprint or of its MLflow id, or a submission file or TREC run.
    metric: what decides; None for the score that counts in both runs.
    """

    setting: Setting
    a: str | None
    b: str | None
    folder: str = "runs/latest"
    metric: str | None = None
    title: str = "diff"

    def run(self) -> Report:
        """Write the page and the tables, print what matters, track it. Nothing is run again.

        Raises ValueError for a side that is missing, has no labels or ran on another dataset.
        """
        started = time.time()
        run, runs = Path(self.folder).expanduser(), Path(self.setting.folder)
        if not (self.a and self.b):
            raise ValueError(
                f"diff needs two sides: give diff.a=… and diff.b=…, pipelines of {run}."
            )
        paths = [find(str(one), run, runs) for one in (self.a, self.b)]
        dataset = self.setting.dataset.load()
        score = partial(self._scored, dataset)
        a, b = _named_apart([read_side(path, dataset, score) for path in paths])
        found = diff(a, b, dataset, self._labels(dataset), self.metric)
        folder = self.setting.open_folder(self.title)
        files = write_files(folder, found, a, b, dataset)
        self._track(found, dataset, started, (a, b), files)
        _show(found, a, b, dataset, files[0])
        return Report(folder=folder)

    def _scored(self, dataset: Dataset, ranking: Ranking) -> pd.DataFrame:
        """The table of a file's ranking, by the metrics of the command; it counts as a trial."""
        split = self.setting.split.divide(dataset)
        scores = score_visible(self.setting.metrics, ranking, dataset, split)
        trial = fingerprint({"run": ranking.by_query()}), scores
        record_trials(self.setting.ledger, dataset, split, self.title, [trial])
        return sided(scores, split)

    def _labels(self, dataset: Dataset) -> dict[str, list[str]]:
        said = gold_labels(self.setting.review, dataset)
        return {query: sorted(labels) for query, labels in said.items()}

    def _track(
        self,
        found: Diff,
        dataset: Dataset,
        started: float,
        sides: tuple[Side, Side],
        files: list[Path],
    ) -> None:
        a, b = sides
        counts = {name: float(found.count(name)) for name in (WON, LOST, SAME)}
        self.setting.track(
            RunRecord(
                name=f"{b.name} against {a.name}",
                experiment=self.title,
                dataset=dataset,
                started=started,
                ended=time.time(),
                params={"a": str(a.path), "b": str(b.path), "metric": found.metric},
                measures={f"diff/{name}": value for name, value in counts.items()},
                files=files,
            )
        )


def _named_apart(sides: list[Side]) -> tuple[Side, Side]:
    """Two pipelines of one name are called by their runs too."""
    a, b = sides
    if a.name == b.name:
        a, b = (
            replace(one, name=f"{mark} ({one.path.parent.name}/{one.name})")
            for mark, one in (("a", a), ("b", b))
        )
    return a, b


def _show(found: Diff, a: Side, b: Side, dataset: Dataset, page: Path) -> None:
    out = terminal()
    same = a.path.resolve() == b.path.resolve()
    alike = [f"{a.path} and {b.path} are one and the same."] if same else []
    show_notes([*dataset.notes, *alike, *a.notes, *b.notes])
    say(out, storable_text(sentence(found, a, b)))
    say(out, f"Where the gold passages went ({found.counted}):")
    out.print(stage_table(found, a.name, b.name))
    if found.first:
        out.print(first_table(found, dataset))
    say(out, f"Written to {page}")
