"""Folders of a small dataset in a layout, with the files that a test changes in it."""

from __future__ import annotations

from pathlib import Path

import pytest

CORPUS = '{"id": "a", "text": "ice"}\n{"id": "b", "text": "물은 언다"}\n'
QUERIES = '{"id": "1", "text": "cold?"}\n{"id": "2", "text": "hot?"}\n'
QRELS = "1\ta\t1\n"


def write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
    return folder


def jsonl(folder: Path, **files: str | bytes) -> Path:
    return write(
        folder,
        **{"corpus_jsonl": CORPUS, "queries_jsonl": QUERIES, "qrels_tsv": QRELS, **files},
    )


def sentence(layout, folder: Path, **options: object) -> str:
    """What a layout says of a folder that it refuses."""
    with pytest.raises(ValueError, match=r"\.$") as caught:
        layout(path=str(folder), **options).load()
    message = str(caught.value)
    assert "\n" not in message
    return message
