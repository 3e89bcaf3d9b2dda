"""Several pipelines on one dataset: each scored, tracked and submitted, against a baseline."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments import board_prediction, console
from experiments.cost.table import show_costs, write_cost_figure
from experiments.destinations import check_destination, check_name
from experiments.figures import score_figure, write_figure
from experiments.identity import describe
from experiments.judging import judge
from experiments.label_slices import GoldLabels, gold_labels, review_notes, write_slices
from experiments.parameters import weights_told
from experiments.pipeline import Pipeline
from experiments.provenance import circular_notes
from experiments.result import Differences, Result, against_baseline, corrected, differences, report
from experiments.schema import Dataset, Report, RunRecord
from experiments.summary import SUMMARY, summary, write_result, write_summary
from experiments.tracking.outbox import logged_id

if TYPE_CHECKING:
    from experiments.setting import Setting
    from experiments.splits import Split


def single(*, title: str, name: str, setting: Setting, pipeline: Pipeline) -> Comparison:
    """The experiment on one pipeline, which nothing is held against."""
    return Comparison(title=title, setting=setting, base=pipeline, variants={name: {}})


def _circular(dataset: Dataset, pipelines: Mapping[str, Pipeline]) -> list[str]:
    """Which pipelines rank as what wrote the questions does."""
    if not dataset.circular:
        return []
    ranking = {name: describe(replace(one, gate=None)) for name, one in pipelines.items()}
    return circular_notes(dataset.circular, ranking)


def _measures(result: Result) -> dict[str, float]:
    """What a run cost: seconds and model calls by stage; and what its gate blocked rightly.

    MLflow's page of a comparison shows the first few by alphabet: scores must stay among them.
    """
    found = {f"seconds/{stage}": seconds for stage, seconds in result.seconds.items()}
    for stage, numbers in result.usage.items():
        found |= {f"model/{stage}/{name}": value for name, value in numbers.items()}
    found |= {f"screening/{name}": value for name, value in result.gate.items()}
    found |= {f"resources/{name}": value for name, value in result.cost.items()}
    return {**found, **result.measures}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Runs every variant of a pipeline and says how each differs from the baseline.

    title: what the run is called, in its folder and in the tracker.
    variants: name -> the parts of `base` that it replaces.
    baseline: the variant that the others are held against; None where there is one alone.
    steps: the variants build on each other, so each is shown against the one before it, too.
    differences_shown: print how each differs from the baseline; summary.json has it anyhow.
    """

    title: str
    setting: Setting
    base: Pipeline
    variants: Mapping[str, Mapping[str, Any]]
    baseline: str | None = None
    steps: bool = False
    differences_shown: bool = True

    def run(self) -> Report:
        """Score all variants, write the run's folder, track it, print the tables.

        Raises ValueError for a mistake in the options or in the dataset's files.
        """
        pipelines = self._pipelines()
        dataset = self.setting.dataset.load()
        self._check(dataset, pipelines)
        review = self.setting.review
        said = {name: gold_labels(review, dataset, one.chunker) for name, one in pipelines.items()}
        split = self.setting.split.divide(dataset)
        if self.setting.trial is None:  # a sweep says it once
            weights = weights_told(pipelines)
            reviewed = review_notes(review, dataset, said)
            own = _circular(dataset, pipelines)
            console.show_dataset(dataset)
            console.show_notes([*dataset.notes, *split.notes, *weights, *reviewed, *own])
        results = {
            name: self.trial(pipeline, dataset, split) for name, pipeline in pipelines.items()
        }
        against = against_baseline(results, self.baseline, split)
        folder = self._write(dataset, split, results, against, said)
        if self.setting.trial is None:
            before = {
                name: differences(results[name], results[earlier], split)
                for earlier, name in pairwise(results if self.steps else ())
            }
            shown = against if self.differences_shown else {}
            console.show(results, shown, self.baseline, folder, corrected(before))
            if against and dataset.qrels is not None:
                console.show_notes(self._tried(dataset, split))
            show_costs(results)
        return report(results, folder)

    def _tried(self, dataset: Dataset, split: Split) -> list[str]:
        """How many other trials have seen these questions: no p of this run knows of them."""
        ledger = self.setting.ledger
        count = 0 if ledger is None else ledger.count(dataset.fingerprint, split.public)
        if count <= len(self.variants):
            return []
        return [
            f"{count} trials have seen these public questions, and p counts those of this table "
            f"alone: +experiment=overfit_report counts them all."
        ]

    def trial(self, pipeline: Pipeline, dataset: Dataset, split: Split) -> Result:
        """What one variant found and scored."""
        return judge(pipeline, dataset, split, self.setting, self.title)

    def _check(self, dataset: Dataset, pipelines: Mapping[str, Pipeline]) -> None:
        """What can be refused is refused before hours of retrieval."""
        depth = min(pipeline.depth for pipeline in pipelines.values())
        self.setting.metrics.check(spans=dataset.spans is not None, depth=depth)
        if self.setting.submission is not None:
            self.setting.submission.accepts(dataset)

    def _write(
        self,
        dataset: Dataset,
        split: Split,
        results: Mapping[str, Result],
        against: Mapping[str, Differences],
        said: Mapping[str, GoldLabels],
    ) -> Path:
        """The folder of the run, with all it leaves; the tracker gets a copy."""
        folder = self.setting.open_folder(self.title)
        files, kept = {}, {}
        for name, result in results.items():
            files[name] = write_result(folder / name, name, result, split)
            files[name] += write_slices(folder / name, result.scores, split, dataset, said[name])
            submission = self._submit(folder / name, dataset, result)
            files[name] += [submission] if submission else []
            predicted = board_prediction.of_result(result, dataset) if submission else None
            if predicted is not None and self.setting.trial is None:
                console.show_notes([f"{name}: {predicted.sentence}"])
            kept[name] = {
                "mlflow_run_id": None,
                **board_prediction.submitted(submission, predicted),
            }

        def write() -> None:
            overrides = self.setting.overrides
            write_summary(folder, summary(self.title, overrides, dataset, results, against, kept))

        write()  # MLflow is a mirror: what it does must not cost the result
        self.setting.point_latest(folder)
        parent = None
        if len(results) > 1:
            parent = self._open_parent(folder, dataset, split, results)
        for name, result in results.items():
            kept_files = [*files[name], folder / SUMMARY]
            record = self._record(name, dataset, result, parent, kept_files)
            kept[name]["mlflow_run_id"] = logged_id(self.setting.track(record))
        write()
        return folder

    def _open_parent(
        self, folder: Path, dataset: Dataset, split: Split, results: Mapping[str, Result]
    ) -> str | None:
        """The run that holds those of the pipelines, with the figure that compares them."""
        metrics = next(iter(results.values())).scores
        files = []
        if metrics is not None:
            figure = score_figure(results, metrics.metrics[0], split)
            files = [write_figure(figure, folder / "scores.html")]
            files += write_cost_figure(folder, results)
        return self.setting.track(
            RunRecord(
                name=self.title,
                experiment=self.title,
                dataset=dataset,
                started=min(result.started for result in results.values()),
                ended=time.time(),
                params={"variants": ", ".join(results), "baseline": str(self.baseline)},
                files=files,
            )
        )

    def _record(
        self, name: str, dataset: Dataset, result: Result, parent: str | None, files: list[Path]
    ) -> RunRecord:
        return RunRecord(
            name=name,
            experiment=self.title,
            parent=parent,
            dataset=dataset,
            started=result.started,
            ended=result.ended,
            params={
                **result.parameters,
                "read from the store": "yes" if result.stored else "no",
            },
            scores=result.means,
            measures=_measures(result),
            files=files,
        )

    def _submit(self, folder: Path, dataset: Dataset, result: Result) -> Path | None:
        writer = self.setting.submission
        if writer is None:
            return None
        return Path(writer.write(folder, dataset, result.ranking, asked=result.asked))

    def _pipelines(self) -> dict[str, Pipeline]:
        """Variant -> its pipeline. Raises ValueError for an unknown part or baseline."""
        known = [part.name for part in fields(self.base)]
        if not self.variants:
            raise ValueError("No variant is left to run: keep at least one of them.")
        for name, changes in self.variants.items():
            check_name(name)
            for part in changes.keys() - set(known):
                near = get_close_matches(part, known, n=1) or known
                raise ValueError(
                    f"The variant {name} sets '{part}', which no pipeline has: "
                    f"did you mean {' or '.join(near)}?"
                )
        if self.baseline is not None and self.baseline not in self.variants:
            raise ValueError(
                f"The baseline '{self.baseline}' is none of the variants: "
                f"choose one of {', '.join(self.variants)}."
            )
        check_destination(self.setting.submission)
        if len(self.variants) > 1 and getattr(self.setting.submission, "path", None):
            raise ValueError(
                "submission.path names one file and there are several pipelines: "
                "leave it out, and each gets a file of its own in the run's folder."
            )
        return {name: replace(self.base, **changes) for name, changes in self.variants.items()}
