"""What a run leaves on disk for scripts: summary.json, rankings, tables of scores by query.

The schema of summary.json is described in docs/summary.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.identity import fingerprint, libraries
from experiments.secrets import masked
from experiments.trec_run import write_run

if TYPE_CHECKING:
    import pandas as pd

    from experiments.gold_path import GoldPaths
    from experiments.metrics.per_query import PerQuery
    from experiments.result import Differences, Result
    from experiments.schema import Dataset
    from experiments.splits import Split
    from retrievers.ranking import Ranking

SUMMARY = "summary.json"


def write_result(folder: Path, name: str, result: Result, split: Split) -> list[Path]:
    """Write what one pipeline found, its parts with their libraries, and per_query.parquet.

    The last one only where there are labels.
    """
    files = write_ranked(
        folder,
        name,
        ranking=result.ranking,
        blocked=dict(zip(result.asked, result.blocked.tolist(), strict=True)),
        reasons=result.reasons,
        gold=result.gold,
    )
    files += write_parts(folder, result.key["pipeline"], "experiments.judging")
    if result.scores is not None:
        files.append(folder / "per_query.parquet")
        with atomic_file(files[-1]) as part:
            sided(result.scores, split).to_parquet(part)
    return files


def write_ranked(
    folder: Path,
    name: str,
    *,
    ranking: Ranking,
    blocked: Mapping[str, bool],
    reasons: Sequence[str],
    gold: GoldPaths | None,
) -> list[Path]:
    """Write ranking.trec, gate.tsv and, with labels, gold.parquet.

    name: of the ranking, in its file.  blocked: query id -> whether the gate held it back; reasons
    in the same order.  gold: how far each gold passage came.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [write_run(folder / "ranking.trec", ranking, tag=name), folder / "gate.tsv"]
    with atomic_file(files[1]) as part:
        part.write_text(_gate_table(blocked, reasons), encoding="utf-8")
    if gold is not None:
        files.append(folder / "gold.parquet")
        with atomic_file(files[-1]) as part:
            _table(gold.to_json()).to_parquet(part)
    return files


def summary(
    title: str,
    overrides: Sequence[str],
    dataset: Dataset,
    results: Mapping[str, Result],
    differences: Mapping[str, Differences],
    kept: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """The value of summary.json.

    kept: pipeline -> its mlflow_run_id and submission.
    """
    pipelines = {
        name: {
            "scores": {
                side: {metric: asdict(mean) for metric, mean in means.items()}
                for side, means in result.means.items()
            },
            "difference": {
                side: {metric: asdict(difference) for metric, difference in by_metric.items()}
                for side, by_metric in differences.get(name, {}).items()
            },
            "blocked": int(result.blocked.sum()),
            "gate": dict(result.gate),
            "seconds": {stage: round(spent, 4) for stage, spent in result.seconds.items()},
            **({"cautions": list(result.cautions)} if result.cautions else {}),
            **({"cost": dict(result.cost)} if result.cost else {}),
            **({"measures": dict(result.measures)} if result.measures else {}),
            **kept[name],
        }
        for name, result in results.items()
    }
    marks = {name: fingerprint(result.key["pipeline"]) for name, result in results.items()}
    return {**heading(title, overrides, dataset, pipelines=marks), "pipelines": pipelines}


def heading(title: str, overrides: Sequence[str], dataset: Dataset, **marks: Any) -> dict[str, Any]:
    """What the page of every run says first: what ran, with which words, on what.

    marks: further fingerprints, by what they are of.
    """
    return {
        "experiment": title,
        "overrides": [masked(word) for word in overrides],
        "dataset": dataset.name,
        "fingerprints": {"dataset": dataset.fingerprint, **marks},
    }


def write_summary(folder: Path, value: Mapping[str, Any]) -> Path:
    """Write summary.json into the folder of the run."""
    path = folder / SUMMARY
    with atomic_file(path) as part:
        part.write_text(_json(value), encoding="utf-8")
    return path


def summaries(runs: Path) -> list[Path]:
    """Every summary.json of the runs in a folder and of the trials of its sweeps, newest first."""
    found = [*runs.glob(f"*/*/{SUMMARY}"), *runs.glob(f"sweeps/*/*/{SUMMARY}")]
    return sorted(
        (path for path in found if path.parent.parent.name != "latest"),
        key=lambda path: (path.stat().st_mtime_ns, path),
        reverse=True,
    )


def write_parts(folder: Path, parts: Any, made_by: str) -> list[Path]:
    """Write pipeline.json and versions.json: a run's described parts, and the libraries behind.

    made_by: the module of the experiment, whose libraries count as well.
    """
    pages = {"pipeline.json": parts, "versions.json": libraries(parts, made_by)}
    for name, page in pages.items():
        with atomic_file(folder / name) as part:
            part.write_text(_json(page), encoding="utf-8")
    return [folder / name for name in pages]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _gate_table(blocked: Mapping[str, bool], reasons: Sequence[str]) -> str:
    rows = ["query\tblocked\treason"]
    for (query, stopped), reason in zip(blocked.items(), reasons, strict=True):
        rows.append(f"{query}\t{'yes' if stopped else 'no'}\t{reason}")
    return "\n".join(rows) + "\n"


def sided(scores: PerQuery, split: Split) -> pd.DataFrame:
    """One row a query of a split that may be shown: its side or "neither", then the metrics."""
    frame = scores.frame()
    frame.insert(0, "split", split.labels(frame.index))
    return frame


def _table(columns: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({name: list(column) for name, column in columns.items()})


def point_latest(runs: Path, folder: Path) -> None:
    """Make `latest` in `runs` a symbolic link to the folder, in one step."""
    link = runs / "latest"
    fresh = link.with_name(f".{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.relative_to(runs), target_is_directory=True)
    fresh.replace(link)
