"""`+experiment=record_score`: a leaderboard's score, kept with the run whose submission it was."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.board_prediction import BoardPrediction, predict
from experiments.console import say, terminal
from experiments.schema import Report

if TYPE_CHECKING:
    import pandas as pd

    from experiments.setting import Setting

_FILE = "leaderboard.json"


@dataclass(frozen=True, kw_only=True)
class RecordScore:
    """Notes what a board said, and whether the run's own labels could have said so before.

    folder: of the run.  pipeline: the one that was submitted; None where the run has one alone.
    public, private: the board's scores, 0 to 1; None where it does not show one.
    queries: how many queries each of them covers.
    metric: the local one to compare with; None takes the first.
    """

    title: str
    setting: Setting
    folder: str | None = None
    pipeline: str | None = None
    public: float | None = None
    private: float | None = None
    queries: int | None = None
    metric: str | None = None

    def run(self) -> Report:
        """Write leaderboard.json, tell the tracker, print the comparison.

        Raises ValueError for a folder without a run, an unknown pipeline or metric, and scores
        that are none.
        """
        scores, queries = self._scores(), self._queries()
        folder, summary = self._summary()
        name = self._name(summary)
        predicted = self._predicted(folder / name, queries)
        told = [
            sentence(side, score, queries, predicted)
            for side, score in scores.items()
            if predicted is not None
        ]
        path = folder / _FILE
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        known[name] = {
            **scores,
            "queries": queries,
            "predicted": asdict(predicted) if predicted else None,
        }
        with atomic_file(path) as part:
            part.write_text(json.dumps(known, ensure_ascii=False, indent=2) + "\n", "utf-8")
        self._track(summary["pipelines"][name].get("mlflow_run_id"), scores, queries)
        out = terminal()
        for line in told or [f"{name} has no local scores to compare the board's with."]:
            say(out, line)
        say(out, f"Noted in {path}.")
        return Report(folder=folder)

    def _scores(self) -> dict[str, float]:
        given = {"public": self.public, "private": self.private}
        scores = {side: score for side, score in given.items() if score is not None}
        for side, score in scores.items():
            if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
                raise ValueError(
                    f"record.{side} is {score}: give the board's score as a number from 0 to 1."
                )
        if not scores:
            raise ValueError("There is no score to note: give record.public=0.93 or private.")
        return scores

    def _queries(self) -> int:
        if not isinstance(self.queries, int) or self.queries < 1:
            raise ValueError(
                f"record.queries is {self.queries}: give how many questions a score of the board "
                "covers, such as record.queries=110."
            )
        return self.queries

    def _summary(self) -> tuple[Path, dict[str, Any]]:
        folder = Path(self.folder or "")
        path = folder / "summary.json"
        if self.folder is None or not path.exists():
            raise ValueError(
                f"record.folder is {self.folder}: give the folder of the run whose submission was "
                "scored, such as record.folder=runs/latest."
            )
        return folder, json.loads(path.read_text(encoding="utf-8"))

    def _name(self, summary: dict[str, Any]) -> str:
        names = [*summary["pipelines"]]
        if self.pipeline in names or (self.pipeline is None and len(names) == 1):
            return self.pipeline or names[0]
        raise ValueError(
            f"record.pipeline is {self.pipeline}: choose the one that was submitted, "
            f"{' or '.join(names)}."
        )

    def _predicted(self, folder: Path, queries: int) -> BoardPrediction | None:
        import pandas as pd

        path = folder / "per_query.parquet"
        if not path.exists():
            return None
        table: pd.DataFrame = pd.read_parquet(path)
        metrics = [column for column in table if column != "split"]
        metric = self.metric or metrics[0]
        if metric not in metrics:
            raise ValueError(
                f"The run was not scored by {metric}: give record.metric={' or '.join(metrics)}."
            )
        return predict(metric, table[metric].to_numpy(float), queries)

    def _track(self, run: str | None, scores: dict[str, float], queries: int) -> None:
        uri = getattr(self.setting.tracker, "uri", None)
        if run is None or uri is None:
            return
        from experiments.tracking.finished import note_on_run

        numbers = {f"leaderboard/{side}": float(score) for side, score in scores.items()}
        tags = {"leaderboard": ", ".join(scores), "leaderboard.queries": str(queries)}
        try:
            note_on_run(uri, run, numbers, tags)
        except ValueError as reason:
            say(terminal(), f"Not noted in MLflow: {reason}")


def sentence(side: str, score: float, queries: int, predicted: BoardPrediction) -> str:
    """A score beside its prediction, and what it can mean where the two do not meet."""
    told = (
        f"{side} {score:.4f} on {queries} questions; the {predicted.n_local} scored here let "
        f"expect {predicted.metric} between {predicted.low:.4f} and {predicted.high:.4f} (95 %)"
    )
    if predicted.low <= score <= predicted.high:
        return f"{told}: as predicted."
    if score > predicted.high:
        return (
            f"{told}: above it. The board's questions may be easier than the local ones, its rule "
            "may differ from this metric (record.metric=…), or its questions are known to the "
            "system."
        )
    return (
        f"{told}: below it. The board's questions may be harder than the local ones, its rule may "
        "differ from this metric (record.metric=…), or the local labels leaked into the system or "
        "its tuning."
    )
