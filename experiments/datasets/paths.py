"""Finding the user's folders and files, with a sentence that helps when they are not there."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

SHOWN = 8
"""How many names a sentence lists before it stops."""


def existing_folder(path: str | Path, option: str) -> Path:
    """The folder that `option` names; relative paths start at the current directory.

    Raises ValueError: nothing was given, it does not exist, or it is a file.
    """
    if not str(path).strip():
        raise ValueError(f"{option} is empty: give the folder that holds the dataset.")
    folder = Path(str(path)).expanduser()
    if folder.is_file():
        raise ValueError(f"{option}={path} is a file: give its folder, {option}={folder.parent}.")
    if not folder.is_dir():
        raise ValueError(f"{option}={path} does not exist{_nearest(folder)}.")
    return folder


def existing_file(path: Path) -> Path:
    """The file itself. Raises ValueError: it does not exist, or it is a folder."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder, but a file is wanted there.")
    if not path.is_file():
        raise ValueError(f"{path} does not exist{_nearest(path)}.")
    return path


def listing(names: list[str]) -> str:
    """Names for a sentence: the first few, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (", ".join(names[:SHOWN]) + more) or "nothing"


def _nearest(path: Path) -> str:
    """What stands in the deepest folder on the way that does exist."""
    missing, parent = path.absolute(), path.absolute().parent
    while not parent.is_dir() and parent != parent.parent:
        missing, parent = parent, parent.parent
    names = sorted(entry.name for entry in parent.iterdir())
    close = get_close_matches(missing.name, names, n=1, cutoff=0.5)
    if close:
        return f"; the nearest name is {parent / close[0]}"
    return f"; {parent} holds {listing(names)}"
