"""Chunk quality of a dataset: measures, control, cost, a report, and a page to read a sample."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunk_quality.review_sample import ReviewSample
from experiments.parameters import parameters
from experiments.quality.chunk_table import chunk_table, summary_measures
from experiments.quality.measured import ChunkMeasures, Measured, Measuring
from experiments.quality.misses import Misses, find_misses
from experiments.quality.report import Heading, write_report
from experiments.quality.terminal import show
from experiments.schema import Report, RunRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode

    from experiments.pipeline import Pipeline
    from experiments.schema import Dataset
    from experiments.setting import Setting

_REVIEWED = ("tokens", "sentences", "sentence_similarity", "topic_entropy", "copies")
NO_LABELS = "The dataset has no labels, so nothing can be said of what bad chunks cost."


@dataclass(frozen=True, kw_only=True)
class ChunkQuality:
    """Are the chunks any good, and what do bad ones cost?

    pipeline: its chunker makes the chunks; where there are labels, what it misses is held
        against the measures.
    measures: the parts that measure.  review: draws the sample to read.
    k: a gold passage below this place of its query's ranking is missed.
    """

    title: str
    setting: Setting
    pipeline: Pipeline
    measures: ChunkMeasures
    review: ReviewSample = field(default_factory=ReviewSample)
    k: int = 10

    def run(self) -> Report:
        """Measure, write the report and the tables, track them.

        Raises ValueError for a mistake in the options or the dataset, and where there is no chunk.
        """
        started = time.time()
        if self.k < 1:
            raise ValueError(f"k is {self.k}: give the depth at which a passage counts as found.")
        dataset = self.setting.dataset.load()
        nodes, corpus = self.pipeline.chunks(dataset, self.setting.store)
        if not nodes:
            raise ValueError(f"{dataset.name} has no text, so there is no chunk to measure.")
        measured = Measuring(nodes, corpus, self.measures, self.setting.store).run()
        misses = self._misses(dataset, nodes, measured)
        folder = self.setting.open_folder(self.title)
        files = self._write(folder, dataset, nodes, measured, misses)
        self.setting.point_latest(folder)
        self._track(dataset, started, measured, files)
        show(measured, misses, [*dataset.notes], folder)
        return Report(folder=folder)

    def _misses(self, dataset: Dataset, nodes: Sequence[TextNode], measured: Measured) -> Misses:
        if dataset.qrels is None and dataset.spans is None:
            return Misses(k=self.k, skipped=NO_LABELS)
        split = self.setting.split.divide(dataset)
        visible = split.visible
        outcome = self.pipeline.run(dataset, self.setting.store)
        return find_misses(
            dataset,
            outcome,
            nodes,
            measured.columns(),
            queries=[query for query in split.everyone if query in visible],
            k=self.k,
            seed=self.measures.seed,
        )

    def _write(
        self,
        folder: Path,
        dataset: Dataset,
        nodes: Sequence[TextNode],
        measured: Measured,
        misses: Misses,
    ) -> list[Path]:
        """The report, the page to review, the tables."""
        table = chunk_table(nodes, measured)
        parquet, groups, review = (
            folder / name for name in ("chunks.parquet", "groups.json", "review.html")
        )
        table.to_parquet(parquet, index=False)
        groups.write_text(_groups(measured), encoding="utf-8")
        rows = table.set_index("chunk")[list(_REVIEWED)].to_dict("index")
        self.review.write(review, nodes, _shown(rows))
        heading = Heading(
            dataset=dataset.name,
            chunker=type(self.pipeline.chunker).__name__,
            embedding=self.measures.similarity.embedding.model_name,
            review=review.name,
        )
        report = write_report(
            folder / "chunk_quality.html", heading, nodes, table, measured, misses
        )
        files = [report, parquet, groups, review]
        if misses.relations:
            path = folder / "misses.tsv"
            misses.frame().to_csv(path, sep="\t", index=False)
            files.append(path)
        return files

    def _track(
        self, dataset: Dataset, started: float, measured: Measured, files: list[Path]
    ) -> None:
        self.setting.track(
            RunRecord(
                name=self.title,
                experiment=self.title,
                dataset=dataset,
                started=started,
                ended=time.time(),
                params=parameters({"chunker": self.pipeline.chunker, "measures": self.measures}),
                measures=summary_measures(measured),
                files=files,
            )
        )


def _groups(measured: Measured) -> str:
    found = measured.repetition
    value = {"exact": found.exact, "near": found.near}
    return json.dumps(value, ensure_ascii=True, indent=1) + "\n"


def _shown(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The measures of a chunk for a reader: rounded, without those it has no value of."""
    return {
        chunk: {
            name.replace("_", " "): round(value, 3) for name, value in row.items() if value == value
        }
        for chunk, row in rows.items()
    }
