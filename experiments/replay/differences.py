"""In what two runs differ, and which of their parts, libraries and data have changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments.replay.stored_run import StoredRun, pages

PARTS, VERSIONS = "pipeline.json", "versions.json"
_TABLES = (".parquet", ".jsonl", ".trec", ".tsv", ".csv")
_MANIFESTS = "manifests.jsonl"
_SHORT = 12


def results(run: StoredRun) -> dict[str, Path]:
    """Path below the folder -> file, of all that a repeated run gives again, byte for byte.

    These are its tables: rankings, prompts, answers, scores. A submission may stand elsewhere.
    """
    found = {
        str(path.relative_to(run.folder)): path
        for path in sorted(run.folder.glob("**/*"))
        if path.suffix in _TABLES and path.is_file() and path.stem != "submission"
    }
    return found | run.submissions()


def result_differences(before: StoredRun, after: StoredRun) -> list[str]:
    """One sentence for each file of results that differs in any byte; [] where none does."""
    old, new = results(before), results(after)
    wanted = {name for name in new if before.holds(name)}
    found = [f"{name} was not written again." for name in old.keys() - wanted]
    found += [f"{name} was not there before." for name in wanted - old.keys()]
    for name in sorted(old.keys() & wanted):
        if old[name].read_bytes() != new[name].read_bytes():
            found.append(f"{name} differs: {_difference(old[name], new[name])}.")
    prompts = (run.summary.get("fingerprints", {}).get("prompts") for run in (before, after))
    if _MANIFESTS not in old and len({*prompts}) > 1:
        found.append("The prompts differ.")
    return sorted(found)


def reasons(before: StoredRun, after: StoredRun) -> list[str]:
    """What has changed of that which a run depends on, one sentence each."""
    old, new = (run.summary.get("fingerprints", {}) for run in (before, after))
    found = []
    for name in ("dataset", "tasks"):
        if old.get(name) != new.get(name):
            found.append(
                f"The {name} changed: the fingerprint was {_short(old.get(name))} and is "
                f"{_short(new.get(name))}."
            )
    versions = list(_versions(before, after))
    found += versions
    untold = bool(versions) or not pages(before.folder, VERSIONS)
    parts = pages(before.folder, PARTS), pages(after.folder, PARTS)
    for name in sorted(parts[0].keys() & parts[1].keys()):
        place = "" if name == "." else name
        found += _changes(parts[0][name], parts[1][name], place, untold=untold)
    if old.get("state") != new.get("state") and not found:
        found.append("A part, its options, its source or a library of it has changed.")
    return found


def _versions(before: StoredRun, after: StoredRun) -> Iterator[str]:
    """The libraries that both runs kept in other versions."""
    old, new = (
        {name: one for page in pages(run.folder, VERSIONS).values() for name, one in page.items()}
        for run in (before, after)
    )
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            yield f"The version of {name} was {old[name]} and is {new[name]}."


def _changes(old: Any, new: Any, place: str, *, untold: bool) -> Iterator[str]:
    """The leaves in which two descriptions differ.

    untold: a library may have changed, too, which the hash of a source does not tell apart.
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            step = place if key == "arguments" else f"{place}.{key}".lstrip(".")
            yield from _changes(old.get(key), new.get(key), step, untold=untold)
    elif old != new:
        part, _, leaf = place.rpartition(".")
        if leaf == "source" and " " not in f"{old}":
            library = ", or a library that it imports," if untold else ""
            yield f"The source of {part or 'the run'}{library} has changed."
        else:
            yield f"{place} was {_short(old)} and is {_short(new)}."


def _difference(old: Path, new: Path) -> str:
    """How much of a file differs, in its own units."""
    if old.suffix == ".parquet":
        return _tables(old, new)
    one, other = _by_first(old), _by_first(new)
    moved = [query for query in one if one[query] != other.get(query)]
    moved += [query for query in other if query not in one]
    if moved:
        return f'{len(moved)} of {len(one.keys() | other.keys())} queries, such as "{moved[0]}"'
    if old.name == _MANIFESTS:
        return "in what it notes beside the prompts, which are the same"
    return "the order of its lines"


def _by_first(path: Path) -> dict[str, Any]:
    """Query id, or else the first column -> what the file has of it: of a manifest its hash."""
    found: dict[str, Any] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if path.suffix == ".jsonl" and line:
            page = json.loads(line)
            query = str(page.get("task_id", page.get("query", page.get("id", line))))
            found[query] = page.get("context_hash") if "task_id" in page else page
        elif line:
            query = line.replace("\t", " ").replace(",", " ").split(" ")[0]
            found.setdefault(query, []).append(line)
    return found


def _tables(old: Path, new: Path) -> str:
    import pandas as pd

    before, after = pd.read_parquet(old), pd.read_parquet(new)
    if list(before.index) != list(after.index) or list(before) != list(after):
        return "it has other rows or columns"
    moved = {
        name: int(
            (before[name].ne(after[name]) & ~(before[name].isna() & after[name].isna())).sum()
        )
        for name in before
    }
    told = [f"{name} of {count} rows" for name, count in moved.items() if count]
    return ", ".join(told) or "in nothing but its bytes"


def _short(value: Any) -> str:
    text = str(value)
    return f"{text[:_SHORT]}…" if len(text) == 64 and " " not in text else text
