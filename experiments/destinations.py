"""Where the files of a run go: refused before any work where they cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_LONGEST_NAME = 100


def check_name(name: str) -> None:
    """Raises ValueError: the name of a pipeline cannot be a folder in that of its run."""
    shown = f"The pipeline name {name[:_LONGEST_NAME]!r}"
    if not name.strip() or set(name) == {"."}:
        raise ValueError(f"{shown} names no folder: write a word.")
    if "/" in name or "\\" in name or ".." in name or not name.isprintable():
        raise ValueError(f"{shown} is no name of a folder: write it without /, \\, .. and breaks.")
    if len(name.encode()) > 2 * _LONGEST_NAME or len(name) > _LONGEST_NAME:
        raise ValueError(f"{shown}… is too long: write at most {_LONGEST_NAME} signs.")


def check_destination(submission: Any) -> None:
    """Raises ValueError: the submission's own path is a folder, or lies in one that is not there.

    submission: a writer, or None. One without a path writes into the run's folder.
    """
    path = getattr(submission, "path", None)
    if not path:
        return
    if Path(path).is_dir():
        raise ValueError(f"submission.path={path} is a folder: add the name of a file.")
    if not Path(path).absolute().parent.is_dir():
        raise ValueError(
            f"submission.path={path} lies in a folder that does not exist: "
            f"make {Path(path).parent} first, or choose another."
        )
