"""What a study of several readings of one ranking leaves: files, tracker, ledger, tables."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from experiments.atomic_file import atomic_file
from experiments.console import say, terminal
from experiments.figures import write_figure
from experiments.identity import describe, fingerprint
from experiments.parameters import parameters
from experiments.result import record_trials
from experiments.schema import Mean, Report, RunRecord
from experiments.summary import heading, write_parts, write_summary
from experiments.tracking.outbox import logged_id

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from experiments.metrics.per_query import PerQuery
    from experiments.schema import Dataset
    from experiments.setting import Setting
    from experiments.splits import Split

Means = dict[str, dict[str, dict[str, Mean]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantScores:
    """The scores of every reading.

    scores: name of the reading -> its table; all tables have the same queries and metrics.
    parts: what the run was made of.  started: seconds since the epoch.
    prompts: name of the reading -> a fingerprint of all its prompts.
    headings: name of a reading -> what a table calls it, where that is shorter.
    """

    title: str
    dataset: Dataset
    split: Split
    scores: Mapping[str, PerQuery]
    parts: Mapping[str, Any]
    started: float
    prompts: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Of all tables."""
        return next(iter(self.scores.values())).metrics

    @property
    def means(self) -> Means:
        """Reading -> split -> metric -> mean; a sealed split shows public alone."""
        return {
            name: {side: table.mean(self.split.of(side)) for side in self.split.shown}
            for name, table in self.scores.items()
        }

    def frame(self) -> pd.DataFrame:
        """One row a visible query, one column a reading and metric."""
        import pandas as pd

        frames = {name: table.frame() for name, table in self.scores.items()}
        wide = pd.concat(frames, axis=1)
        wide.columns = ["/".join(pair) for pair in wide.columns]
        shown = self.split.visible
        return wide.loc[[query for query in wide.index if query in shown]]


def keep(
    run: VariantScores,
    setting: Setting,
    *,
    figure: go.Figure | None = None,
    told: Sequence[str] = (),
    findings: Mapping[str, Any] | None = None,
) -> Report:
    """Write the run's folder, count its trials, track it, and show it.

    told: sentences that stand below the tables, and in summary.json.
    """
    folder = setting.open_folder(run.title)
    described = describe(dict(run.parts))
    files = write_parts(folder, described, f"experiments.answer_variants.{run.title}")
    files.append(_write_table(run, folder))
    if figure is not None:
        files.append(write_figure(figure, folder / f"{run.title}.html"))
    value = {
        **heading(
            run.title,
            setting.overrides,
            run.dataset,
            state=fingerprint(described),
            prompts=fingerprint(run.prompts),
        ),
        "scores": {
            name: {side: {m: asdict(mean) for m, mean in by.items()} for side, by in sides.items()}
            for name, sides in run.means.items()
        },
        **(findings or {}),
        "sentences": list(told),
    }
    files.append(write_summary(folder, {**value, "mlflow_run_id": None}))
    setting.point_latest(folder)
    _count(run, described, setting)
    logged = logged_id(setting.track(_record(run, setting, files)))
    write_summary(folder, {**value, "mlflow_run_id": logged})
    _show(run, told, folder)
    return Report(folder=folder, means=run.means, per_query={run.title: run.frame()})


def _write_table(run: VariantScores, folder: Path) -> Path:
    path = folder / "per_query.parquet"
    with atomic_file(path) as part:
        run.frame().to_parquet(part)
    return path


def _count(run: VariantScores, described: Any, setting: Setting) -> None:
    """Every reading is a trial: the best of them was chosen among all."""
    trials = ((fingerprint([described, name]), table) for name, table in run.scores.items())
    record_trials(setting.ledger, run.dataset, run.split, run.title, trials)


def _record(run: VariantScores, setting: Setting, files: Sequence[Path]) -> RunRecord:
    scores: dict[str, dict[str, Mean]] = {}
    for name, sides in run.means.items():
        for side, by in sides.items():
            own = scores.setdefault(side, {})
            own.update({f"{name}/{metric}": mean for metric, mean in by.items()})
    return RunRecord(
        name=run.title,
        experiment=run.title,
        dataset=run.dataset,
        started=run.started,
        ended=time.time(),
        params=parameters(dict(run.parts)),
        scores=scores,
        files=files,
    )


def _show(run: VariantScores, told: Sequence[str], folder: Path) -> None:
    """Metrics down, readings across; how many queries a row covers stands at its end."""
    out = terminal()
    for side in [one for one in run.split.sides if run.split.of(one)]:
        table = Table(title=side, title_justify="left")
        table.add_column("", no_wrap=True)
        for name in run.scores if run.metrics else ():
            table.add_column(run.headings.get(name, name), justify="right")
        table.add_column("scored", justify="right")
        for metric in run.metrics:
            row = [sides[side][metric] for sides in run.means.values()]
            table.add_row(metric, *map(_cell, row), _covered(row))
        if run.metrics:
            out.print(table)
    for sentence in told:
        say(out, sentence)
    say(out, f"Written to {folder} (and {folder.parent.parent / 'latest'}).")


def _cell(mean: Mean) -> str:
    return "–" if mean.mean is None else f"{mean.mean:.3f}"


def _covered(row: Sequence[Mean]) -> str:
    """Such as 30/30; 28–30/30 where the readings differ in it."""
    ends = sorted({mean.n_scored for mean in row})
    return f"{'–'.join(map(str, ends[:1] + ends[1:][-1:]))}/{row[0].n_total}"
