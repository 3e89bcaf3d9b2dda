"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A place in the folder of `path` to write to; it takes the name `path` when the block ends.

    If the block raises, what it wrote is deleted and an older file at `path` stays as it was.
    Missing folders are made. Raises ValueError where `path` is a folder.
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give the name of a file to write.")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{secrets.token_hex(6)}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
