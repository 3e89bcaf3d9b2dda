"""Chunk quality of a dataset: measures, control, cost, a report, and a page to read a sample."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunk_quality.review_sample import ReviewSample
from experiments.parameters import parameters
from experiments.quality.chunk_table import chunk_table, summary_measures
from experiments.quality.found import Found
from experiments.quality.measured import ChunkMeasures, Measured, Measuring
from experiments.quality.misses import NO_LABELS, Misses, find_misses
from experiments.quality.report import Heading, write_report
from experiments.quality.reviewed import read_review, reviewed
from experiments.quality.terminal import show
from experiments.schema import Report, RunRecord
from experiments.summary import heading

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from llama_index.core.schema import BaseNode, TextNode

    from experiments.pipeline import Pipeline
    from experiments.schema import Dataset
    from experiments.setting import Setting

_REVIEWED = ("tokens", "sentences", "sentence_similarity", "topic_entropy", "copies")
_SIZES = ("chunk_size", "chunk_overlap", "breakpoint_percentile_threshold")


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

        Raises ValueError for a mistake in the options, the dataset or the review, and where there
        is no chunk.
        """
        started = time.time()
        self._check_depth()
        dataset = self.setting.dataset.load()
        nodes, corpus = self.pipeline.chunks(dataset, self.setting.store)
        if not nodes:
            raise ValueError(f"{dataset.name} has no text, so there is no chunk to measure.")
        ids = [node.node_id for node in nodes]
        review = self.setting.review
        said = {} if review is None else read_review(review, ids)
        measured = Measuring(nodes, corpus, self.measures, self.setting.store).run()
        found = Found(
            measured=measured,
            misses=self._misses(dataset, nodes, measured),
            labels=reviewed(said, Path(review).name, ids, measured.columns()) if review else None,
        )
        folder = self.setting.open_folder(self.title)
        files = self._write(folder, dataset, nodes, found)
        self.setting.point_latest(folder)
        self._track(dataset, started, found, files)
        show(found, [*dataset.notes], folder)
        return Report(folder=folder)

    def _check_depth(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is {self.k}: give the depth at which a passage counts as found.")
        if self.k > self.pipeline.depth:
            raise ValueError(
                f"k is {self.k} and the pipeline finds {self.pipeline.depth} documents a query: "
                f"add depth={self.k}."
            )

    def _misses(self, dataset: Dataset, nodes: Sequence[TextNode], measured: Measured) -> Misses:
        if dataset.qrels is None and dataset.spans is None:
            return Misses(k=self.k, skipped=NO_LABELS)
        split = self.setting.split.divide(dataset)
        visible = split.visible
        return find_misses(
            dataset,
            self.pipeline.run(dataset, self.setting.store),
            nodes,
            measured.columns(),
            queries=[query for query in split.everyone if query in visible],
            sealed=len(split.everyone) - len(visible),
            k=self.k,
            rel_level=self.setting.metrics.rel_level,
            seed=self.measures.seed,
        )

    def _write(
        self, folder: Path, dataset: Dataset, nodes: Sequence[TextNode], found: Found
    ) -> list[Path]:
        """The report, the page to review, the tables, the numbers."""
        table = chunk_table(nodes, found)
        names = "chunks.parquet", "groups.json", "measures.json", "review.html"
        parquet, groups, measures, review = (folder / name for name in names)
        table.to_parquet(parquet, index=False)
        groups.write_text(_page(_groups(found.measured)), encoding="utf-8")
        measures.write_text(_page(self._numbers(dataset, found)), encoding="utf-8")
        self.review.write(review, nodes, _shown(table, nodes, self.review.draw(nodes)))
        heading = Heading(
            dataset=dataset.name,
            chunker=_with_sizes(self.pipeline.chunker),
            embedding=self.measures.similarity.embedding.model_name,
            retriever=type(self.pipeline.retriever).__name__,
            review=review.name,
        )
        report = write_report(folder / "chunk_quality.html", heading, nodes, table, found)
        return [report, parquet, groups, measures, review, *_tables(folder, found)]

    def _numbers(self, dataset: Dataset, found: Found) -> dict[str, Any]:
        """What the tracker gets, for scripts."""
        return {
            **heading(self.title, self.setting.overrides, dataset),
            "measures": summary_measures(found),
        }

    def _track(self, dataset: Dataset, started: float, found: Found, files: list[Path]) -> None:
        self.setting.track(
            RunRecord(
                name=self.title,
                experiment=self.title,
                dataset=dataset,
                started=started,
                ended=time.time(),
                params=parameters({"chunker": self.pipeline.chunker, "measures": self.measures}),
                measures=summary_measures(found),
                files=files,
            )
        )


def _groups(measured: Measured) -> dict[str, Any]:
    found = measured.repetition
    return {"exact": found.exact, "near": found.near}


def _page(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1) + "\n"


def _tables(folder: Path, found: Found) -> list[Path]:
    """Write what there is to say of misses and of labels."""
    tables = {
        "misses.tsv": found.misses.frame() if found.misses.relations else None,
        "labels.tsv": found.labels.frame() if found.labels else None,
    }
    files = []
    for name, table in tables.items():
        if table is not None:
            table.to_csv(folder / name, sep="\t", index=False, lineterminator="\n")
            files.append(folder / name)
    return files


def _with_sizes(chunker: Any) -> str:
    """The chunker's name with its sizes."""
    sizes = [f"{name} {getattr(chunker, name)}" for name in _SIZES if hasattr(chunker, name)]
    return type(chunker).__name__ + (f" ({', '.join(sizes)})" if sizes else "")


def _shown(
    table: pd.DataFrame, nodes: Sequence[TextNode], drawn: Sequence[BaseNode]
) -> dict[str, dict[str, Any]]:
    """The measures of the drawn chunks for a reader: rounded, without those it has no value of."""
    # By the row: two ids may print alike.
    places = {node.node_id: row for row, node in enumerate(nodes)}
    rows = table.iloc[[places[node.node_id] for node in drawn]][[*_REVIEWED]]
    return {
        node.node_id: {
            name.replace("_", " "): round(value, 3) for name, value in row.items() if value == value
        }
        for node, row in zip(drawn, rows.to_dict("records"), strict=True)
    }
