"""What a finished run of answers amounts to, as tables and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.identity import fingerprint
from experiments.metrics.per_query import PerQuery
from experiments.rag.evidence_loss import STAGES, lost_at
from experiments.schema import Report
from experiments.summary import heading, sided

if TYPE_CHECKING:
    import pandas as pd

    from experiments.rag.answered import Answered
    from experiments.schema import Dataset, Mean
    from experiments.splits import Split


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Stories and scores of all queries; what may be shown of them is up to the split.

    seconds: stage -> wall time.  usage: stage -> what it asked of models.
    state: the fingerprint of pipeline, context and model.  parts: all of them, described.
    started: seconds since the epoch.
    """

    dataset: Dataset
    split: Split
    scores: PerQuery
    stories: Sequence[Answered]
    seconds: Mapping[str, float]
    usage: Mapping[str, Mapping[str, float]]
    state: str
    parts: Any
    started: float

    @property
    def means(self) -> dict[str, dict[str, Mean]]:
        """Split -> metric -> mean; a sealed split shows public alone."""
        shown = {side: self.scores.mean(self.split.of(side)) for side in self.split.shown}
        return {side: means for side, means in shown.items() if means}

    @property
    def visible(self) -> list[Answered]:
        """The stories of the splits that may be shown."""
        shown = self.split.visible
        return [one for one in self.stories if one.id in shown]

    @property
    def counts(self) -> dict[str, int]:
        """Of the visible queries: all, blocked, refused, and without an answer."""
        return {
            "queries": len(self.visible),
            "blocked": sum(bool(one.blocked) for one in self.visible),
            "refused": sum(one.refused for one in self.visible),
            "missing": sum(one.answer.missing for one in self.visible),
        }

    @property
    def metric(self) -> str | None:
        """The score that counts: the last one."""
        return self.scores.metrics[-1] if self.scores.metrics else None

    def measures(self) -> dict[str, float]:
        """All finite numbers beside the scores, for a tracker."""
        found = {f"answers/{name}": float(count) for name, count in self.counts.items()}
        found |= {f"seconds/{stage}": seconds for stage, seconds in self.seconds.items()}
        for stage, numbers in self.usage.items():
            found |= {f"model/{stage}/{name}": value for name, value in numbers.items()}
        return found

    def summary(
        self, title: str, overrides: Sequence[str], submission: Path | None
    ) -> dict[str, Any]:
        """The value of summary.json."""
        prompts = fingerprint([one.assembled.manifest.context_hash for one in self.stories])
        return {
            **heading(title, overrides, self.dataset, state=self.state, prompts=prompts),
            "metric": self.metric,
            "scores": {
                side: {metric: asdict(mean) for metric, mean in means.items()}
                for side, means in self.means.items()
            },
            "answers": self.counts,
            "seconds": {stage: round(spent, 4) for stage, spent in self.seconds.items()},
            "usage": {stage: dict(numbers) for stage, numbers in self.usage.items()},
            "submission": None if submission is None else str(submission),
            "mlflow_run_id": None,
        }

    def table(self) -> pd.DataFrame:
        """One row a visible query: its side, its scores, where evidence was lost, the answer."""
        frame = sided(self.scores, self.split)
        if set(STAGES) <= {*self.scores.metrics}:
            frame["lost_at"] = lost_at(self.scores)
        frame["blocked"] = [bool(one.blocked) for one in self.stories]
        frame["refused"] = [one.refused for one in self.stories]
        frame["missing"] = [one.answer.missing for one in self.stories]
        return frame.loc[[one.id for one in self.visible]]

    def write_table(self, folder: Path) -> Path:
        """Write per_query.parquet."""
        path = folder / "per_query.parquet"
        with atomic_file(path) as part:
            self.table().to_parquet(part)
        return path

    def report(self, title: str, folder: Path) -> Report:
        """What the experiment hands back."""
        public = self.means.get("public", {})
        return Report(
            primary=public[self.metric].mean if self.metric in public else None,
            metric=self.metric,
            means={title: self.means},
            per_query={title: self.table()},
            folder=folder,
        )
