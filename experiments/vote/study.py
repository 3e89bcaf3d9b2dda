"""`+experiment=vote`: several files as one submission, and what each of them adds."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments import console
from experiments.metrics.significance import PairedDifference
from experiments.pooled_scores import score_visible, with_judged
from experiments.result import Result, differences, marked, record_trials, report
from experiments.schema import Dataset, Report, RunRecord
from experiments.summary import summary, write_result, write_summary
from experiments.tracking.outbox import logged_id
from experiments.vote.agreement import Share, gain, leave_one_out
from experiments.vote.ballots import VOTE, Ballot, alike, read_ballots
from experiments.vote.count import check, count
from experiments.vote.tables import show_problems, show_shares, write_problems, write_shares
from retrievers.ranking import Ranking

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.setting import Setting
    from experiments.splits import Split

_NO_LIMIT = 10
CAUTION = (
    "Files chosen by their public scores, and weights tried on them, are trials like any other: "
    "the ledger counts the files, this vote and each one without a file, and the interval does not "
    "know of files that were left out before."
)


@dataclass(frozen=True, kw_only=True)
class VoteStudy:
    """Votes, writes what wins, and says what every file adds.

    files: submission files or TREC runs, of any system.  weights: one a file; None counts all
        alike.  method: borda or rrf.
    k: documents a query; None takes the submission's own k, or 10 where nothing is submitted.
    """

    setting: Setting
    files: Sequence[str]
    weights: Sequence[float] | None = None
    method: str = "borda"
    k: int | None = None
    title: str = "vote"

    def run(self) -> Report:
        """Write the run's folder, track it, print the tables.

        Raises ValueError for files or weights that do not fit, and for a file that cannot vote.
        """
        weights = [1.0] * len(self.files) if self.weights is None else [*map(float, self.weights)]
        check(self.method, weights, len(self.files), self.k)
        dataset = self.setting.dataset.load()
        if self.setting.submission is not None:
            self.setting.submission.accepts(dataset)
        started = time.time()
        ballots = read_ballots(self.files, dataset)
        split = self.setting.split.divide(dataset)
        console.show_notes([*dataset.notes, *split.notes, *alike(ballots)])
        vote = self._counted(ballots, dataset)
        results = self._results(ballots, weights, vote, dataset, split, started)
        shares = self._shares(ballots, weights, vote, dataset, split)
        counted = [*results.values(), *self._without(results[VOTE], weights, vote, dataset, split)]
        if dataset.qrels is not None:
            record_trials(self.setting.ledger, dataset, split, self.title, marked(counted))
        return self._finish(results, shares, ballots, dataset, split)

    def _counted(self, ballots: Sequence[Ballot], dataset: Dataset) -> Any:
        """The vote as a function of its weights."""
        k = self.k or getattr(self.setting.submission, "k", None) or _NO_LIMIT
        return partial(
            count,
            [ballot.results for ballot in ballots],
            queries=[query.id for query in dataset.queries],
            documents=[document.id for document in dataset.corpus],
            k=k,
            method=self.method,
        )

    def _results(
        self,
        ballots: Sequence[Ballot],
        weights: Sequence[float],
        vote: Any,
        dataset: Dataset,
        split: Split,
        started: float,
    ) -> dict[str, Result]:
        """The files in their order, the vote last."""
        marks = {one.name: hashlib.sha256(one.path.read_bytes()).hexdigest() for one in ballots}
        rankings = {one.name: one.ranking(dataset) for one in ballots}
        keys: dict[str, Any] = {name: {"file": {"sha256": mark}} for name, mark in marks.items()}
        rules = {"weights": [*weights], "method": self.method, "k": vote.keywords["k"]}
        keys[VOTE] = {"vote": {"files": [*marks.values()], **rules}}
        rankings[VOTE] = vote(weights)
        return {
            name: self._result(ranking, {"pipeline": keys[name]}, dataset, split, started)
            for name, ranking in rankings.items()
        }

    def _result(
        self,
        ranking: Ranking,
        key: Mapping[str, Any],
        dataset: Dataset,
        split: Split,
        started: float,
    ) -> Result:
        scores = None
        if dataset.qrels is not None:
            scores = score_visible(self.setting.metrics, ranking, dataset, split)
        return Result(
            key=key,
            parameters={"files": ", ".join(map(str, self.files)), "method": self.method},
            ranking=ranking,
            asked={query.id: query.text for query in dataset.queries},
            blocked=np.zeros(len(ranking.query_ids), dtype=np.bool_),
            reasons=[""] * len(ranking.query_ids),
            notes=(),
            scores=scores,
            means={side: scores.mean(split.of(side)) for side in split.shown} if scores else {},
            seconds={"vote": time.time() - started},
            started=started,
            ended=time.time(),
        )

    def _shares(
        self,
        ballots: Sequence[Ballot],
        weights: Sequence[float],
        vote: Any,
        dataset: Dataset,
        split: Split,
    ) -> dict[str, list[Share]]:
        """Side -> what each file adds there; under "" without labels."""
        rankings = [one.ranking(dataset) for one in ballots]
        one_out = partial(
            leave_one_out,
            rankings,
            [one.name for one in ballots],
            weights,
            vote=vote,
            k=vote.keywords["k"],
        )
        if dataset.qrels is None:
            return {"": one_out(score=None)}
        qrels, metrics = dataset.qrels, with_judged(self.setting.metrics, dataset)

        def score(side: str) -> Any:
            def difference(one: Ranking, other: Ranking) -> PairedDifference:
                return gain(one, other, metrics, qrels, split.of(side))

            return difference

        return {side: one_out(score=score(side)) for side in split.sides}

    def _without(
        self,
        whole: Result,
        weights: Sequence[float],
        vote: Any,
        dataset: Dataset,
        split: Split,
    ) -> Iterator[Result]:
        """The votes without one of the files, whose scores the table of shares shows."""
        for place in range(len(weights)):
            others = [0.0 if at == place else one for at, one in enumerate(weights)]
            if any(others):
                key = {"pipeline": {**whole.key["pipeline"], "without": place}}
                yield self._result(vote(others), key, dataset, split, whole.started)

    def _finish(
        self,
        results: Mapping[str, Result],
        shares: Mapping[str, Sequence[Share]],
        ballots: Sequence[Ballot],
        dataset: Dataset,
        split: Split,
    ) -> Report:
        folder = self.setting.open_folder(self.title)
        best = _best(results)
        against = (
            {VOTE: differences(results[VOTE], results[best], split)} if best is not None else {}
        )
        files = write_result(folder / VOTE, VOTE, results[VOTE], split)
        files += [write_problems(folder, ballots), write_shares(folder, shares)]
        submission = self._submit(folder, dataset, results[VOTE])
        kept: dict[str, Any] = {"mlflow_run_id": None, "submission": None}
        if submission is not None:
            files.append(submission)
            kept["submission"] = str(submission)
        kept["mlflow_run_id"] = logged_id(self._track(results[VOTE], dataset, files))
        empty = {name: {"mlflow_run_id": None, "submission": None} for name in results}
        page = summary(
            self.title, self.setting.overrides, dataset, results, against, {**empty, VOTE: kept}
        )
        write_summary(folder, page)
        self.setting.point_latest(folder)
        show_problems(ballots)
        console.show(results, against, best, folder)
        show_shares(shares)
        if results[VOTE].scores is not None:
            console.show_notes([CAUTION])
        return report(results, folder)

    def _submit(self, folder: Path, dataset: Dataset, result: Result) -> Path | None:
        writer = self.setting.submission
        return None if writer is None else writer.write(folder / VOTE, dataset, result.ranking)

    def _track(self, result: Result, dataset: Dataset, files: Sequence[Path]) -> str | None:
        return self.setting.track(
            RunRecord(
                name=f"vote of {len(self.files)} files",
                experiment=self.title,
                dataset=dataset,
                started=result.started,
                ended=result.ended,
                params=result.parameters,
                scores=result.means,
                files=files,
            )
        )


def _best(results: Mapping[str, Result]) -> str | None:
    """The file with the best public score, which the vote is held against; None without labels."""
    scored: dict[str, float] = {}
    for name, result in results.items():
        if name != VOTE and result.scores is not None:
            mean = result.means["public"][result.scores.metrics[0]].mean
            if mean is not None:
                scored[name] = mean if result.scores.higher_is_better[0] else -mean
    return max(scored, key=lambda name: scored[name], default=None)
