"""A review of chunks, as the review page saves it."""

from __future__ import annotations


def reviewed(tmp_path, *rows):
    path = tmp_path / "labels.csv"
    lines = [f"{name},{labels}," for name, labels in rows]
    path.write_text("\n".join(["chunk_id,labels,note", *lines]) + "\n", encoding="utf-8")
    return path
