"""`+experiment=vote`: several files as one submission, and what each of them adds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments import console
from experiments.pooled_scores import score_visible
from experiments.result import Result, differences, marked, record_trials, report
from experiments.schema import Dataset, Report, RunRecord
from experiments.summary import summary, write_result, write_summary
from experiments.tracking.outbox import logged_id
from experiments.vote.agreement import Share, leave_one_out
from experiments.vote.ballots import VOTE, Ballot, alike, read_ballots
from experiments.vote.count import check
from experiments.vote.poll import Poll, Trial
from experiments.vote.tables import show_problems, show_shares, write_problems, write_shares

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.setting import Setting
    from experiments.splits import Split

_USUAL_K = 10
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
        k = self.k or getattr(self.setting.submission, "k", None) or _USUAL_K
        poll = Poll(ballots=ballots, weights=weights, method=self.method, k=k, dataset=dataset)
        result = partial(self._result, dataset=dataset, split=split, started=started)
        files = {name: result(trial) for name, trial in poll.files().items()}
        vote = result(poll.vote())
        without = [None if trial is None else result(trial) for trial in poll.without()]
        if dataset.qrels is not None:
            tried = [*files.values(), vote, *filter(None, without)]
            record_trials(self.setting.ledger, dataset, split, self.title, marked(tried))
        shares = leave_one_out(files, weights, vote, without, k=k, split=split)
        return self._finish({**files, VOTE: vote}, shares, ballots, dataset, split)

    def _result(self, trial: Trial, *, dataset: Dataset, split: Split, started: float) -> Result:
        key, ranking = trial
        scores = None
        if dataset.qrels is not None:
            scores = score_visible(self.setting.metrics, ranking, dataset, split)
        return Result(
            key={"pipeline": key},
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

    def _finish(
        self,
        results: Mapping[str, Result],
        shares: Sequence[Share],
        ballots: Sequence[Ballot],
        dataset: Dataset,
        split: Split,
    ) -> Report:
        """Write, track and show it all."""
        folder = self.setting.open_folder(self.title)
        vote, best = results[VOTE], _best(results)
        against = {} if best is None else {VOTE: differences(vote, results[best], split)}
        files = write_result(folder / VOTE, VOTE, vote, split)
        files += [write_problems(folder, ballots), write_shares(folder, shares)]
        submission = self._submit(folder, dataset, vote)
        if submission is not None:
            files.append(submission)
        kept: dict[str, dict[str, Any]] = {
            name: {"mlflow_run_id": None, "submission": None} for name in results
        }
        kept[VOTE] = {
            "mlflow_run_id": logged_id(self._track(vote, dataset, files)),
            "submission": None if submission is None else str(submission),
        }
        page = summary(self.title, self.setting.overrides, dataset, results, against, kept)
        write_summary(folder, page)
        self.setting.point_latest(folder)
        show_problems(ballots)
        console.show(results, against, best, folder)
        show_shares(shares)
        if vote.scores is not None:
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
