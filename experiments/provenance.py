"""Where labels and questions come from, written beside them and read back with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.atomic_file import atomic_file

FILE = "provenance.json"


def write_provenance(folder: Path, value: Mapping[str, Any]) -> Path:
    """Write provenance.json beside qrels.tsv."""
    with atomic_file(folder / FILE) as part:
        part.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return folder / FILE


def read_provenance(folder: Path) -> Mapping[str, Any]:
    """What it says; empty where there is none.

    Raises ValueError for a file that holds no JSON object.
    """
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON ({error}): mend or remove it.") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path} holds no JSON object: mend or remove it.")
    return value


def provenance_notes(said: Mapping[str, Any]) -> list[str]:
    """What a reader of scores on these labels has to know, one sentence each.

    said: what `read_provenance` gave.
    """
    notes = []
    if runs := said.get("runs"):
        who = ", ".join(said.get("labellers", [])) or "nobody named"
        notes.append(
            f"The labels are pooled from {len(runs)} runs ({', '.join(runs)}) to depth "
            f"{said.get('depth')}, judged by {who}: what no run pooled counts as not relevant, so "
            "judged@k stands beside each score, the share of results that anyone judged."
        )
    if generator := said.get("generator"):
        like = ", ".join(said.get("circular", [])) or generator
        notes.append(
            f"The questions were written by {generator} from their gold passages: they are easier "
            f"than real ones{_overlap(said)}, and scores of what works as it does ({like}) are "
            "circular."
        )
    return notes


def _overlap(said: Mapping[str, Any]) -> str:
    """How much easier, where real questions with labels were there to compare."""
    shares = said.get("word_overlap") or {}
    if shares.get("written") is None or shares.get("real") is None:
        return ""
    return (
        f" ({shares['written']:.2f} of their words stand in their gold passage, of the real ones' "
        f"{shares['real']:.2f})"
    )


def circular_notes(marks: Sequence[str], pipelines: Mapping[str, Any]) -> list[str]:
    """Which pipelines are scored on questions that a part of theirs wrote.

    marks: `Dataset.circular`.  pipelines: name -> a JSON value of its parts that rank, for a gate
        of other parts finds nothing.
    """
    notes = []
    for name, parts in pipelines.items():
        text = json.dumps(parts, ensure_ascii=False)
        if found := [mark for mark in marks if mark in text]:
            notes.append(
                f"{name} works as the generator of these questions does ({', '.join(found)}): its "
                "scores here are circular and say nothing about real questions."
            )
    return notes
