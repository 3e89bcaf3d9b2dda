"""Where the side of a comparison lies that a user names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from experiments.diff.prompts import MANIFESTS
from experiments.diff.side import RANKING
from experiments.summary import summaries

_FEWEST_LETTERS = 6


def find(given: str, run: Path, runs: Path) -> Path:
    """The folder of the pipeline that is meant, or the file.

    given: a folder, a file, the name of a pipeline in `run`, or the beginning (6 letters or more)
        of its fingerprint or of its id in MLflow, looked up in the newest run or trial of `runs`
        that has it.
    Raises ValueError where there is none, or more than one pipeline in the folder.
    """
    for path in (Path(given).expanduser(), run / given):
        if path.is_dir():
            return _only_pipeline(path)
        if path.is_file():
            return path
    for folder in _marked(given, runs):
        return folder
    raise ValueError(
        f'"{given}" is no folder of a run, no file, no pipeline of {run} and no fingerprint in '
        f"{runs}: give one of {', '.join(_pipelines(run)) or 'the folders in runs'}."
    )


def _pipelines(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob(f"*/{RANKING}"))


def _only_pipeline(folder: Path) -> Path:
    if (folder / RANKING).exists() or (folder / MANIFESTS).exists():
        return folder
    names = _pipelines(folder)
    if len(names) == 1:
        return folder / names[0]
    if not names:
        raise ValueError(f"{folder} holds no {RANKING}: give the folder of a run.")
    raise ValueError(
        f"{folder} holds {len(names)} pipelines ({', '.join(names)}): give one, such as "
        f"{folder}/{names[0]}."
    )


def _marked(given: str, runs: Path) -> Iterator[Path]:
    """Those whose fingerprint or id begins so, the newest first; a damaged summary has none."""
    if len(given) < _FEWEST_LETTERS:
        return
    for path in summaries(runs):
        with suppress(ValueError):
            yield from _of_page(json.loads(path.read_text(encoding="utf-8")), given, path.parent)


def _of_page(page: Mapping[str, Any], given: str, folder: Path) -> Iterator[Path]:
    """The folder itself for a run of answers, else those of its pipelines."""
    prints = page.get("fingerprints", {})
    runs = {folder: (prints.get("state"), page.get("mlflow_run_id"))}
    for name, one in page.get("pipelines", {}).items():
        mark = prints.get("pipelines", {}).get(name)
        runs[folder / name] = (mark, one.get("mlflow_run_id"))
    for path, marks in runs.items():
        if any(str(mark or "").startswith(given) for mark in marks):
            yield path
