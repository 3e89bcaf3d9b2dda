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
from experiments.identity import fingerprint
from experiments.secrets import masked
from experiments.splits import SIDES
from experiments.trec_run import write_run

if TYPE_CHECKING:
    import pandas as pd

    from experiments.gold_path import GoldPaths
    from experiments.metrics.per_query import PerQuery
    from experiments.metrics.significance import PairedDifference
    from experiments.result import Result
    from experiments.schema import Dataset
    from experiments.splits import Split

Differences = Mapping[str, Mapping[str, "PairedDifference"]]


def write_result(folder: Path, name: str, result: Result, split: Split) -> list[Path]:
    """Write one pipeline's ranking.trec, pipeline.json, gate.tsv, per_query.parquet, gold.parquet.

    The last two only where there are labels.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / name for name in ("ranking.trec", "pipeline.json", "gate.tsv")]
    write_run(files[0], result.ranking, tag=name)
    write_parts(folder, result.key["pipeline"])
    with atomic_file(files[2]) as part:
        part.write_text(_gate_table(result), encoding="utf-8")
    if result.scores is not None:
        files.append(folder / "per_query.parquet")
        with atomic_file(files[-1]) as part:
            sided(result.scores, split).to_parquet(part)
    if result.gold is not None:
        files.append(write_gold(folder, result.gold))
    return files


def write_gold(folder: Path, gold: GoldPaths) -> Path:
    """Write gold.parquet: how far each gold passage came."""
    import pandas as pd

    with atomic_file(folder / "gold.parquet") as part:
        pd.DataFrame({name: [*column] for name, column in gold.to_json().items()}).to_parquet(part)
    return folder / "gold.parquet"


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
    return {
        "experiment": title,
        "overrides": [masked(word) for word in overrides],
        "dataset": dataset.name,
        "fingerprints": {"dataset": dataset.fingerprint, "pipelines": marks},
        "pipelines": pipelines,
    }


def write_summary(folder: Path, value: Mapping[str, Any]) -> Path:
    """Write summary.json into the folder of the run."""
    path = folder / "summary.json"
    with atomic_file(path) as part:
        part.write_text(_json(value), encoding="utf-8")
    return path


def write_parts(folder: Path, parts: Any) -> Path:
    """Write pipeline.json: the described parts of a run, with sources and versions."""
    path = folder / "pipeline.json"
    with atomic_file(path) as part:
        part.write_text(_json(parts), encoding="utf-8")
    return path


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _gate_table(result: Result) -> str:
    rows = ["query\tblocked\treason"]
    for query, blocked, reason in zip(result.asked, result.blocked, result.reasons, strict=True):
        rows.append(f"{query}\t{'yes' if blocked else 'no'}\t{reason}")
    return "\n".join(rows) + "\n"


def sided(scores: PerQuery, split: Split) -> pd.DataFrame:
    """One row a query of a split that may be shown: its side or "neither", then the metrics."""
    frame = scores.frame()
    side = {query: name for name in SIDES for query in split.of(name)}
    frame.insert(0, "split", [side.get(query, "neither") for query in frame.index])
    return frame


def point_latest(runs: Path, folder: Path) -> None:
    """Make `latest` in `runs` a symbolic link to the folder, in one step."""
    link = runs / "latest"
    fresh = link.with_name(f".{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.relative_to(runs), target_is_directory=True)
    fresh.replace(link)
