"""What a run left on disk or in MLflow: enough to make it again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.secrets import MASK
from experiments.summary import SUMMARY, summaries

_OURS = ("setting.folder", "tracker", "ledger", "force", "submission.path", "hydra.mode")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The folder of a run and its summary.

    part: the one pipeline that the folder holds, where it is a copy from MLflow; "" for all.
    """

    folder: Path
    summary: Mapping[str, Any]
    part: str = ""

    @classmethod
    def read(cls, folder: Path) -> StoredRun:
        """Raises ValueError for a folder that no run has written."""
        path = folder / SUMMARY
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            trials = sorted(folder.glob(f"*/{SUMMARY}"))
            such = f"that of a trial, such as {trials[0].parent}" if trials else "runs/latest"
            raise ValueError(
                f"{folder} has no {SUMMARY}: give replay.run the folder of a run, {such}, or the "
                "id of a run in MLflow."
            ) from None
        except ValueError as error:
            raise ValueError(f"{path} is no JSON ({error}): the run cannot be read.") from error
        if not isinstance(summary, dict) or "overrides" not in summary:
            raise ValueError(f"{path} keeps no options, so the run cannot be made again.")
        return cls(folder, summary)

    def words(self) -> list[str]:
        """The words of its command line, without those that say where it writes.

        Raises ValueError for a run of this very experiment, and where a secret was left out.
        """
        words = [str(word) for word in self.summary["overrides"]]
        if self.summary.get("experiment") == "replay":
            raise ValueError(f"{self.folder} is itself a replay: give the run that it repeated.")
        hidden = [word for word in words if MASK in word]
        if hidden:
            raise ValueError(
                f"The run was given a secret that is not kept ({hidden[0]}): give it by an "
                "environment variable and run it once more; that run can be replayed."
            )
        return [word for word in words if not sets(word, _OURS)]

    def holds(self, name: str) -> bool:
        """Whether a file of the run belongs to what the folder holds of it."""
        return not self.part or name.startswith(f"{self.part}/")

    def submissions(self) -> dict[str, Path]:
        """Place in the run's folder -> the submission of each pipeline, wherever it was written."""
        found: dict[str, Path] = {}
        for name, page in {"": self.summary, **(self.summary.get("pipelines") or {})}.items():
            if page.get("submission"):
                elsewhere = Path(page["submission"])
                own = self.folder / name / elsewhere.name
                path = own if own.is_file() else elsewhere
                found |= {f"{name}/submission".lstrip("/"): path} if path.is_file() else {}
        return found


def find_run(run: str, runs: Path, uri: str | None, copy: Path) -> StoredRun:
    """The run of a folder or of an MLflow id.

    runs: the folder that is searched for a run with this id.  uri: of the MLflow server that is
    asked for one that is not there; None asks nobody.  copy: where its files go.
    Raises ValueError where there is no such run, and where MLflow does not answer.
    """
    folder = Path(run).expanduser()
    if folder.exists():
        return StoredRun.read(folder.resolve())
    for path in summaries(runs):
        if run in _ids(json.loads(path.read_text(encoding="utf-8"))):
            return StoredRun.read(path.parent)
    if uri is not None and _download(run, uri, copy):
        return _copied(copy)
    raise ValueError(
        f"replay.run is '{run}', which is no folder and no run in MLflow that has kept its "
        f"{SUMMARY}: give the folder of a run, such as runs/latest."
    )


def _ids(summary: Mapping[str, Any]) -> set[str]:
    pipelines = summary.get("pipelines") or {}
    kept = [summary, *pipelines.values()]
    return {one["mlflow_run_id"] for one in kept if one.get("mlflow_run_id")}


def _download(run: str, uri: str, copy: Path) -> bool:
    """Whether MLflow had the files of the run. Raises ValueError where it does not answer."""
    from experiments.tracking.finished import UnknownRunError, asked

    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    try:
        with asked(uri, run) as client:
            names = [one.path for one in client.list_artifacts(run)]
            for name in names if SUMMARY in names else ():
                client.download_artifacts(run, name, str(copy))
    except UnknownRunError:
        return False
    return SUMMARY in names


def _copied(copy: Path) -> StoredRun:
    """A copy from MLflow, where each pipeline has a run of its own: its files get their folder."""
    run = StoredRun.read(copy)
    pipelines = list(run.summary.get("pipelines") or {})
    if not (pipelines and (copy / "ranking.trec").exists()):
        return run
    ranking = (copy / "ranking.trec").read_text(encoding="utf-8").split("\n")[0]
    part = next((name for name in pipelines if ranking.endswith(f" {name}")), pipelines[0])
    (copy / part).mkdir()
    for path in list(copy.iterdir()):
        if path.is_file() and path.name != SUMMARY:
            path.rename(copy / part / path.name)
    return replace(run, part=part)


def sets(word: str, options: Sequence[str]) -> bool:
    """Whether a word of the command line sets one of the options, or something within it."""
    name = word.partition("=")[0].lstrip("+~")
    return any(name == option or name.startswith(f"{option}.") for option in options)


def pages(folder: Path, name: str) -> dict[str, Any]:
    """Folder of a pipeline ("." for the run itself) -> its JSON file of that name."""
    return {
        str(path.parent.relative_to(folder)): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob(f"**/{name}"))
    }
