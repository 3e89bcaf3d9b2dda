"""In what two runs differ, and which of their parts, sources and data have changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments.replay.stored_run import StoredRun, described_parts, files_of

RESULTS = (
    *("ranking.trec", "gate.tsv", "manifests.jsonl", "answers.jsonl", "per_query.parquet"),
    *("submission.csv", "submission.trec"),
)
"""The files that a repeated run gives again, byte for byte."""

_SHORT = 12


def result_differences(before: Path, after: Path) -> list[str]:
    """One sentence for each file of results that differs in any byte; [] where none does."""
    old, new = files_of(before, RESULTS), files_of(after, RESULTS)
    found = [f"{name} was not written again." for name in old.keys() - new.keys()]
    found += [f"{name} was not there before." for name in new.keys() - old.keys()]
    for name in sorted(old.keys() & new.keys()):
        if old[name].read_bytes() != new[name].read_bytes():
            found.append(f"{name} differs: {_difference(old[name], new[name])}.")
    return sorted(found)


def reasons(before: StoredRun, after: StoredRun) -> list[str]:
    """What has changed of that which a run depends on, one sentence each."""
    old, new = (run.summary.get("fingerprints", {}) for run in (before, after))
    found = []
    if old.get("dataset") != new.get("dataset"):
        found.append(
            f"The dataset has changed: its fingerprint was {_short(old.get('dataset'))} and is "
            f"{_short(new.get('dataset'))}."
        )
    parts = described_parts(before.folder), described_parts(after.folder)
    for name in sorted(parts[0].keys() & parts[1].keys()):
        found += [*_changes(parts[0][name], parts[1][name], "" if name == "." else name)]
    if old.get("state") != new.get("state") and not found:
        found.append("A part, its options, its source or a library of it has changed.")
    return found


def _changes(old: Any, new: Any, place: str) -> Iterator[str]:
    """The leaves in which two descriptions differ."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            step = place if key == "arguments" else f"{place}.{key}".lstrip(".")
            yield from _changes(old.get(key), new.get(key), step)
    elif old != new:
        part, _, leaf = place.rpartition(".")
        if leaf == "source" and " " not in f"{old}":
            yield f"The source of {part}, or a library that it imports, has changed."
        else:
            yield f"{place} was {_short(old)} and is {_short(new)}."


def _difference(old: Path, new: Path) -> str:
    """How much of a file differs, in its own units."""
    if old.name == "per_query.parquet":
        return _tables(old, new)
    one, other = _by_query(old), _by_query(new)
    moved = [query for query in one if one[query] != other.get(query)]
    moved += [query for query in other if query not in one]
    return (
        f'{len(moved)} of {len(one.keys() | other.keys())} queries, such as "{moved[0]}"'
        if (moved)
        else "the order of its lines"
    )


def _by_query(path: Path) -> dict[str, Any]:
    """Query id -> what the file has of it: of a manifest the hash of the prompt."""
    found: dict[str, Any] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if path.suffix == ".jsonl" and line:
            page = json.loads(line)
            query = page.get("task_id", page.get("query"))
            found[query] = page.get("context_hash") if "task_id" in page else page
        elif line:
            query = line.replace("\t", " ").replace(",", " ").split(" ")[0]
            found.setdefault(query, []).append(line)
    return found


def _tables(old: Path, new: Path) -> str:
    import pandas as pd

    before, after = pd.read_parquet(old), pd.read_parquet(new)
    if list(before.index) != list(after.index) or list(before) != list(after):
        return "it has other queries or metrics"
    moved = {
        name: int(
            (before[name].ne(after[name]) & ~(before[name].isna() & after[name].isna())).sum()
        )
        for name in before
    }
    told = [f"{name} of {count} queries" for name, count in moved.items() if count]
    return ", ".join(told) or "in nothing but its bytes"


def _short(value: Any) -> str:
    text = str(value)
    return f"{text[:_SHORT]}…" if len(text) == 64 and " " not in text else text
