"""Which weights, and does it matter? A search over a fusion's weights in one process.

Nothing is retrieved for a weighting: the leaves' candidate lists come from the store once, and
thousands of weightings of them are scored at once. Weights are chosen on public queries alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments import console
from experiments.atomic_file import atomic_file
from experiments.figures import write_figure
from experiments.fusion import report
from experiments.fusion.figure import surface_figure
from experiments.fusion.points import Points
from experiments.fusion.space import Space
from experiments.fusion.surface import Rule, Source, Surface
from experiments.fusion.verdict import Verdict, decide
from experiments.judging import judge
from experiments.label_slices import GoldLabels, gold_labels, write_slices
from experiments.ledger import LedgerEntry, ScoreRow
from experiments.query_groups import kept_together
from experiments.result import Result, differences
from experiments.schema import Dataset, Report, RunRecord
from experiments.summary import summary, write_result, write_summary
from experiments.tracking.outbox import logged_id

if TYPE_CHECKING:
    from experiments.pipeline import Pipeline
    from experiments.setting import Setting
    from experiments.splits import Split


@dataclass(frozen=True, kw_only=True)
class FusionSearch:
    """Searches the weights of the pipeline's fusion, and says what the choice is worth.

    title: what the run is called.  space: what is tried.  folds: of the public queries.
    seed: of the folds and the resamples.
    """

    title: str
    setting: Setting
    pipeline: Pipeline
    space: Space
    folds: int = 5
    seed: int = 0

    def run(self) -> Report:
        """Search, run the chosen weights as a pipeline of their own, write the run's folder.

        `primary` is the cross-validated mean. Raises ValueError for a pipeline without a fusion,
        one whose postprocessors rank, and a dataset without labels of documents.
        """
        started = time.time()
        rules = self._checked()
        dataset = self.setting.dataset.load()
        if dataset.qrels is None or dataset.spans is not None:
            raise ValueError(
                f"{dataset.name} has no labels of documents to choose weights by: give it labels "
                f"(docs/datasets.md says where they stand)."
            )
        self.setting.metrics.check(depth=self.pipeline.depth)
        if self.setting.submission is not None:
            self.setting.submission.accepts(dataset)
        said = gold_labels(self.setting.review, dataset, self.pipeline.chunker)
        split = self.setting.split.divide(dataset)
        if self.setting.trial is None:  # a sweep says it once
            console.show_notes([*dataset.notes, *split.notes])
        configured = judge(self.pipeline, dataset, split, self.setting, self.title)
        source = Source.of(self.pipeline, dataset, self.setting)
        surface = Surface(
            pipeline=self.pipeline,
            dataset=dataset,
            setting=self.setting,
            public=split.public,
            source=source,
        )
        points = Points(surface, rules)
        verdict = self._search(points, dataset, configured)
        self._record(points, dataset)
        best = judge(points.pipeline(verdict.best), dataset, split, self.setting, self.title)
        results = {"configured": configured, "best": best}
        folder = self._write(points, verdict, dataset, split, results, said, started)
        self.setting.point_latest(folder)
        if self.setting.trial is None:
            report.show(points, verdict, results, folder)
        measure = surface.measures[0]
        return Report(
            primary=verdict.cross_validated,
            metric=measure.name,
            higher_is_better=measure.higher_is_better,
            means={name: result.means for name, result in results.items()},
            per_query={name: r.scores.frame() for name, r in results.items() if r.scores},
            folder=folder,
        )

    def _checked(self) -> list[Rule]:
        retriever = self.pipeline.retriever
        if not hasattr(retriever, "reweighted"):
            raise ValueError(
                f"fusion_search weighs the parts of a fusion, and {retriever.name} is none: "
                f"choose retriever=hybrid or retriever=hybrid_lexical."
            )
        ranking = [
            name
            for name, part in self.pipeline.postprocessors.items()
            if getattr(part, "role", None) != "reorder"
        ]
        if ranking:
            raise ValueError(
                f"fusion_search scores what the fusion ranks, and {ranking[0]} ranks after it: "
                f"leave it out of postprocessor."
            )
        depth = self.pipeline.depth
        return self.space.rules(depth, retriever.candidate_depth(depth))

    def _search(self, points: Points, dataset: Dataset, configured: Result) -> Verdict:
        weights = self.space.weights.start(len(points.surface.parts))
        start = [place for rule in range(len(points.rules)) for place in points.add(rule, weights)]
        places = {query: place for place, query in enumerate(points.surface.public)}
        queries = [query for query in dataset.queries if query.id in places]
        groups, _ = kept_together(queries, dataset)
        return decide(
            points,
            self.space.weights,
            start,
            [[places[queries[row].id] for row in rows] for rows in groups],
            _column(configured, points),
            count=self.folds,
            seed=self.seed,
        )

    def _record(self, points: Points, dataset: Dataset) -> None:
        """Every point is a trial."""
        if self.setting.ledger is not None:
            public, metric = points.surface.public, points.surface.measures[0].name
            rows = [ScoreRow("public", metric, public, scores) for scores in points.first]
            entries = (
                LedgerEntry(trial, public, self.title, [row])
                for trial, row in zip(points.fingerprints(), rows, strict=True)
            )
            self.setting.ledger.record(dataset.fingerprint, entries)

    def _write(
        self,
        points: Points,
        verdict: Verdict,
        dataset: Dataset,
        split: Split,
        results: Mapping[str, Result],
        said: GoldLabels,
        started: float,
    ) -> Path:
        folder = self.setting.open_folder(self.title)
        files = self._surface_files(folder, points, verdict)
        kept: dict[str, dict[str, Any]] = {}
        for name, result in results.items():
            written = write_result(folder / name, name, result, split)
            written += write_slices(folder / name, result.scores, split, dataset, said)
            kept[name] = {"mlflow_run_id": None, "submission": None}
            if name == "best":
                files += written
                if submission := self._submit(folder / name, dataset, result):
                    files.append(submission)
                    kept[name]["submission"] = str(submission)
        against = {"best": differences(results["best"], results["configured"], split)}

        def write() -> None:
            page = summary(self.title, self.setting.overrides, dataset, results, against, kept)
            write_summary(folder, {**page, "search": verdict.page(points)})

        write()  # MLflow is a mirror: what it does must not cost the result
        record = RunRecord(
            name=f"{self.title} {report.weights_in_words(verdict.weights)}",
            experiment=self.title,
            dataset=dataset,
            started=started,
            ended=time.time(),
            params=results["best"].parameters,
            scores=results["best"].means,
            measures=report.measures(points, verdict),
            files=files,
        )
        kept["best"]["mlflow_run_id"] = logged_id(self.setting.track(record))
        write()
        return folder

    def _surface_files(self, folder: Path, points: Points, verdict: Verdict) -> list[Path]:
        """surface.parquet, surface.html and retriever.yaml."""
        frame, surface = points.frame(), points.surface
        table, yaml = folder / "surface.parquet", folder / "retriever.yaml"
        with atomic_file(table) as part:
            frame.to_parquet(part)
        with atomic_file(yaml) as part:
            part.write_text(report.yaml(points, verdict), encoding="utf-8")
        metric, error = surface.measures[0].name, verdict.flatness.error
        figure = surface_figure(frame, surface.parts, metric, verdict.best, error)
        return [table, yaml, write_figure(figure, folder / "surface.html")]

    def _submit(self, folder: Path, dataset: Dataset, result: Result) -> Path | None:
        writer = self.setting.submission
        if writer is None:
            return None
        return Path(writer.write(folder, dataset, result.ranking, asked=result.asked))


def _column(result: Result, points: Points) -> NDArray[np.float64]:
    """The first metric of a result, in the order of the public queries."""
    if result.scores is None:
        raise ValueError("The configured pipeline has no scores to compare with.")
    places = {query: row for row, query in enumerate(result.scores.query_ids)}
    column = result.scores.column(points.surface.measures[0].name)
    return column[[places[query] for query in points.surface.public]]
