"""The position lab: the same passages, the evidence in another place, and what that does."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.console import say, show_notes, terminal
from experiments.figures import write_figure
from experiments.identity import describe, fingerprint
from experiments.parameters import parameters
from experiments.position_lab import words
from experiments.position_lab.cells import Axes
from experiments.position_lab.figures import curve_figure, gain_figure, heat_figure
from experiments.position_lab.findings import Findings, find
from experiments.position_lab.kinds import kinds_of
from experiments.position_lab.questions import Questions
from experiments.position_lab.sheet import Sheet, fill_sheet, prompt_of
from experiments.position_lab.terminal import show
from experiments.schema import Report, RunRecord
from experiments.secrets import masked
from experiments.summary import write_parts, write_summary
from experiments.tracking.outbox import logged_id

if TYPE_CHECKING:
    from experiments.position_lab.tasks import TaskSource
    from experiments.setting import Setting
    from generation.answers import Answer
    from generation.context import ContextAssembler
    from generation.llm import StoredLLM

TITLE = "lost_in_the_middle"
STAGE = "position_lab"


@dataclass(frozen=True, kw_only=True)
class PositionLab:
    """Does the place of the evidence change this model's answers? After Liu et al. (TACL 2024).

    tasks: where the questions come from.  axes: what is varied.
    context: writes the prompts; a budget that is too small is told by assembly_recall.
    dry_run: only say how many calls, tokens and dollars it would take.
    by: a tag of the questions by whose values the findings are told apart as well, such as their
        wording; None takes "wording" where they have it.
    Every answer is stored as it comes: a lab that was killed goes on where it was.
    """

    setting: Setting
    tasks: TaskSource
    axes: Axes
    context: ContextAssembler
    llm: StoredLLM | None
    dry_run: bool = False
    by: str | None = None

    def run(self) -> Report:
        """Ask everything, say what it shows, write the folder of the run and track it.

        Raises ValueError for a mistake in the options or the tasks, and without a model.
        """
        started, llm, parts = time.time(), self._model(), describe(self._parts())
        found = self._tasks()
        kinds = kinds_of(found.tasks, self.by)
        show_notes([*found.notes, *words.one_place(self.axes)])
        cells = list(self.axes.cells())
        tasks = [found.by_evidence[cell.condition.evidence] for cell in cells]
        assembled = [
            [prompt_of(task, cell, self.context, found.seed) for task in own]
            for cell, own in zip(cells, tasks, strict=True)
        ]
        prompts = [one.prompt for row in assembled for one in row]
        name = llm.metadata.model_name
        say(terminal(), words.bill(llm.estimate(prompts), len(prompts), name))
        if self.dry_run:
            return Report()
        answers = _rows(llm.complete_many(prompts, stage=STAGE), len(tasks[0]))
        sheet = fill_sheet(tasks, cells, assembled, answers, llm.metadata.context_window)
        findings = find(sheet, self.axes.conditions(), seed=found.seed, kinds=kinds)
        return self._kept(found, sheet, findings, name, started, parts)

    def _model(self) -> StoredLLM:
        if self.llm is None:
            raise ValueError(
                "The position lab asks a model and llm is none: add llm=local for the small one "
                "that runs here, llm=offline for a walk-through, or llm=openai_like."
            )
        return self.llm

    def _tasks(self) -> Questions:
        counts = sorted({count for count, _ in self.axes.layouts()}, reverse=True)
        documents = max(self.axes.documents)
        return Questions.of(
            {
                count: self.tasks.load(self.setting, documents=documents, evidence=count)
                for count in counts
            }
        )

    def _kept(
        self,
        found: Questions,
        sheet: Sheet,
        findings: Findings,
        name: str,
        started: float,
        parts: Any,
    ) -> Report:
        """The folder of the run and the tracker's copy."""
        folder = self.setting.open_folder(TITLE)
        files = _write(folder, sheet, findings, name)
        files += write_parts(folder, parts, __name__)
        said = words.sentences(findings, repeats=self.axes.repeats)
        value = self._summary(found, sheet, findings, said, name)
        files.append(write_summary(folder, value))
        self.setting.point_latest(folder)
        record = self._record(found, findings, files, started, name)
        logged = logged_id(self.setting.track(record))
        write_summary(folder, {**value, "mlflow_run_id": logged})
        show(findings, said, folder)
        return Report(folder=folder, per_query={TITLE: sheet.frame()})

    def _summary(
        self,
        found: Questions,
        sheet: Sheet,
        findings: Findings,
        said: Sequence[str],
        name: str,
    ) -> dict[str, Any]:
        return {
            "experiment": TITLE,
            "overrides": [masked(word) for word in self.setting.overrides],
            "tasks": {"name": found.name, "count": len(found.tasks)},
            "fingerprints": {
                **({"dataset": found.dataset.fingerprint} if found.dataset else {}),
                "tasks": found.fingerprint,
                "prompts": fingerprint(sheet.hashes),
            },
            "model": name,
            "findings": findings.as_json(),
            "sentences": list(said),
            "mlflow_run_id": None,
        }

    def _parts(self) -> dict[str, Any]:
        return {
            "tasks": self.tasks,
            "axes": self.axes,
            "context": self.context,
            "llm": self.llm,
        }

    def _record(
        self, found: Questions, findings: Findings, files: Sequence[Path], started: float, name: str
    ) -> RunRecord:
        return RunRecord(
            name=f"{TITLE}, {name}",
            experiment=TITLE,
            group=found.name,
            dataset=found.dataset,
            started=started,
            ended=time.time(),
            params=parameters(self._parts()),
            measures=findings.measures(),
            files=files,
        )


def _rows(answers: Sequence[Answer], width: int) -> list[list[Answer]]:
    return [list(answers[begin : begin + width]) for begin in range(0, len(answers), width)]


def _write(folder: Path, sheet: Sheet, findings: Findings, model: str) -> list[Path]:
    """The answers and the figures."""
    answers = folder / "answers.parquet"
    with atomic_file(answers) as part:
        sheet.frame().to_parquet(part)
    figures = {
        "position_curve": curve_figure(findings.conditions, model),
        "documents_by_position": heat_figure(findings.conditions, model),
    }
    if findings.kinds:
        figures["position_curve_by_kind"] = curve_figure(findings.kinds, model)
    if findings.gains:
        figures["order_gain"] = gain_figure(findings.gains, model)
    return [answers] + [
        write_figure(figure, folder / f"{name}.html") for name, figure in figures.items()
    ]
