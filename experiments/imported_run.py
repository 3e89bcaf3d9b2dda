"""Rankings that another system wrote as TREC runs, scored against the labels of a dataset."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments import console
from experiments.label_slices import gold_labels, write_slices
from experiments.metrics.preflight import tied_queries
from experiments.pooled_scores import score_visible
from experiments.result import Result, against_baseline, marked, record_trials
from experiments.schema import Dataset, Qrels, Report, RunRecord
from experiments.summary import summary, write_result, write_summary
from experiments.tracking.outbox import logged_id
from experiments.trec_run import TrecRun, read_run
from retrievers.ranking import Ranking

if TYPE_CHECKING:
    from experiments.setting import Setting
    from experiments.splits import Split


@dataclass(frozen=True, kw_only=True)
class ImportedRuns:
    """Scores run files and says how each differs from the baseline.

    path: one file or several; each is called by its name without the ending, or, where two of
        them share it, by its folder (bm25/ranking.trec is bm25).
    baseline: the name of the run that the others are held against; None takes the first.

    Only queries and documents of the dataset count; what else a run names is counted in the notes.
    A query that a run lacks scores as an empty list.
    """

    setting: Setting
    path: str | Sequence[str] | None
    baseline: str | None = None
    title: str = "score_run"

    def run(self) -> Report:
        """Score all files, write the run's folder, track it, print the tables.

        Raises ValueError for a dataset without labels, for a file that cannot be read, and for a
        run that shares no query or no document with the dataset.
        """
        files = self._files()
        baseline = self._baseline(files)
        dataset = self.setting.dataset.load()
        self._check(dataset)
        split = self.setting.split.divide(dataset)
        console.show_notes([*dataset.notes, *split.notes])
        results = {name: self._score(file, dataset, split) for name, file in files.items()}
        record_trials(self.setting.ledger, dataset, split, self.title, marked(results.values()))
        against = against_baseline(results, baseline, split)
        folder = self.setting.open_folder(self.title)
        kept = {name: self._keep(folder, name, results[name], dataset, split) for name in files}
        overrides = self.setting.overrides
        write_summary(folder, summary(self.title, overrides, dataset, results, against, kept))
        self.setting.point_latest(folder)
        console.show(results, against, baseline, folder)
        return self._report(results, folder)

    def _files(self) -> dict[str, Path]:
        """Name -> file. Raises ValueError for none, and where names do not differ."""
        given = self.path if isinstance(self.path, list | tuple) else [self.path]
        paths = [Path(str(path)).expanduser() for path in given if path is not None]
        if not paths:
            raise ValueError("There is no run to score: give run.path=FILE.")
        for names in (
            [path.stem for path in paths],
            [path.absolute().parent.name for path in paths],
        ):
            if len(set(names)) == len(names):
                return dict(zip(names, paths, strict=True))
        raise ValueError(
            f"Several run files are called {paths[0].name}: rename them, so that the table can "
            f"tell them apart."
        )

    def _baseline(self, files: Mapping[str, Path]) -> str:
        name = next(iter(files)) if self.baseline is None else self.baseline
        if name not in files:
            raise ValueError(
                f'The baseline "{name}" is none of the runs: choose one of {", ".join(files)}.'
            )
        return name

    def _check(self, dataset: Dataset) -> None:
        self.setting.metrics.check()
        if dataset.qrels is None:
            raise ValueError(f"{dataset.name} has no labels to score a run with: add qrels.tsv.")
        gold_labels(self.setting.review, dataset)
        if self.setting.submission is not None:
            raise ValueError("score_run writes no submission: leave the option submission out.")

    def _score(self, file: Path, dataset: Dataset, split: Split) -> Result:
        started = time.time()
        found = imported(file, dataset, self.setting.metrics.reads())
        scores = score_visible(self.setting.metrics, found.ranking, dataset, split)
        queries = found.ranking.query_ids
        named = {*queries}
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        return Result(
            key={"pipeline": {"run": {"tag": found.tag, "sha256": digest}}},
            parameters={"run.path": str(file), "run.tag": found.tag},
            ranking=found.ranking,
            asked={query.id: query.text for query in dataset.queries if query.id in named},
            blocked=np.zeros(len(queries), dtype=np.bool_),
            reasons=[""] * len(queries),
            notes=[
                *found.notes,
                *_ties(file, found.ranking, dataset.qrels or {}, scores.query_ids),
            ],
            scores=scores,
            means={side: scores.mean(split.of(side)) for side in split.shown},
            seconds={"score": time.time() - started},
            started=started,
            ended=time.time(),
        )

    def _keep(
        self, folder: Path, name: str, result: Result, dataset: Dataset, split: Split
    ) -> dict[str, Any]:
        files = write_result(folder / name, name, result, split)
        gold = gold_labels(self.setting.review, dataset)
        files += write_slices(folder / name, result.scores, split, dataset, gold)
        record = RunRecord(
            name=name,
            experiment=self.title,
            dataset=dataset,
            started=result.started,
            ended=result.ended,
            params=result.parameters,
            scores=result.means,
            files=files,
        )
        return {"mlflow_run_id": logged_id(self.setting.track(record)), "submission": None}

    def _report(self, results: Mapping[str, Result], folder: Path) -> Report:
        last = list(results.values())[-1]
        first_metric = next(iter(last.means["public"]))
        return Report(
            primary=last.means["public"][first_metric].mean,
            means={name: result.means for name, result in results.items()},
            per_query={name: r.scores.frame() for name, r in results.items() if r.scores},
            folder=folder,
        )


def imported(file: Path, dataset: Dataset, reads: int = 0) -> TrecRun:
    """A run file as a ranking of the dataset's queries over its documents; the notes say the rest.

    reads: how many results a metric will look at, to note a run that is cut shorter.
    Raises ValueError where the file names none of the queries, or none of the documents.
    """
    corpus = [document.id for document in dataset.corpus]
    queries = {query.id for query in dataset.queries}
    run = read_run(file, names={*queries, *corpus})
    strangers = {*run.ranking.node_ids}.difference(corpus)
    _refuse(file, "documents", run.ranking.node_ids, {*run.ranking.node_ids} - strangers, corpus)
    found = {
        query: list(zip(run.ranking.ids(row), run.ranking.scores[row].tolist(), strict=False))
        for row, query in enumerate(run.ranking.query_ids)
        if query in queries
    }
    _refuse(file, "queries", run.ranking.query_ids, found, sorted(queries))
    counts = {
        "queries that the dataset does not have, left out": len(run.ranking.query_ids) - len(found),
        "documents that the corpus does not have, never relevant": len(strangers),
    }
    notes = [*run.notes, *(f"{file}: {what}: {n}." for what, n in counts.items() if n)]
    if run.ranking.depth < min(reads, len(corpus)):
        notes.append(
            f"{file}: no query has more than {run.ranking.depth} results, and a metric reads "
            f"{reads}: if the run was cut there, that score is too low."
        )
    return replace(run, ranking=Ranking.from_lists(found, corpus), notes=tuple(notes))


def _ties(file: Path, ranking: Ranking, qrels: Qrels, queries: Iterable[str]) -> list[str]:
    """The note that the order of equal scores moves the metrics, and whose order it is."""
    if not (tied := tied_queries(ranking, qrels, queries)):
        return []
    return [
        f"{file}: in {tied} queries documents with equal scores have unequal labels: they stand as "
        "the file ranks them, and trec_eval, which sorts them by their ids, may score otherwise."
    ]


def _refuse(
    file: Path, what: str, named: Sequence[str], known: Sized, wanted: Sequence[str]
) -> None:
    if not known:
        raise ValueError(
            f'{file} names {len(named)} {what} (such as "{named[0]}") and the dataset has none of '
            f'them (it has such as "{wanted[0]}"): score the run against the set it was made for.'
        )
