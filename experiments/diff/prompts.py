"""What a run with answers adds: which gold passages its prompts show, and which it cites."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.gold_path import DROPPED, LEFT_OUT, SHOWN, UNKNOWN, GoldPaths
from experiments.metrics.answers import cited_numbers
from generation.evidence import OVER_BUDGET

MANIFESTS, ANSWERS = "manifests.jsonl", "answers.jsonl"


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts and answers of a run; both empty for one that has none.

    manifests: query id -> what its prompt shows and what it left out.
    answers: query id -> its line of answers.jsonl.
    """

    manifests: Mapping[str, Mapping[str, Any]]
    answers: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, folder: Path) -> Prompts:
        """Raises ValueError for a damaged manifests.jsonl or answers.jsonl."""
        return cls(
            _by_query(folder / MANIFESTS, ["task_id", "selected", "excluded"], _names_passages),
            _by_query(folder / ANSWERS, ["query"], _has_text_or_none),
        )

    def ranked(self) -> dict[str, list[str]]:
        """Query id -> documents by rank, as far as the manifests name them."""
        ranked = {}
        for query, one in self.manifests.items():
            passages = sorted(
                [*one["selected"], *one["excluded"]], key=lambda each: each.get("rank", 0)
            )
            ranked[query] = list(dict.fromkeys(each["document"] for each in passages))
        return ranked

    def most_shown(self) -> int:
        """How many passages the fullest prompt shows; 0 without prompts."""
        return max((len(one["selected"]) for one in self.manifests.values()), default=0)

    def said(self) -> dict[str, str | None]:
        """Query id -> what the model said, None where its call failed."""
        return {query: one.get("answer") for query, one in self.answers.items()}

    def told(self, gold: GoldPaths) -> GoldPaths:
        """The same paths with `prompt` and `used`.

        A passage is used where the answer cites its number, such as [2]. An answer that cites
        nothing does not say what it used, so nobody knows; one that refuses uses none.
        """
        pairs = [*zip(gold.query, gold.gold, strict=True)]
        prompt = [_prompt(self.manifests.get(query), name) for query, name in pairs]
        used = [
            _used(self.manifests[query], self.answers.get(query, {}), name)
            if at == SHOWN
            else UNKNOWN
            for (query, name), at in zip(pairs, prompt, strict=True)
        ]
        return replace(gold, prompt=tuple(prompt), used=tuple(used))


def _by_query(
    path: Path, wanted: Sequence[str], sound: Callable[[Mapping[str, Any]], bool]
) -> dict[str, dict[str, Any]]:
    """The lines of a file by the first of the keys that each must have; {} without the file."""
    return {str(line[wanted[0]]): line for line in _lines(path, wanted, sound)}


def _names_passages(manifest: Mapping[str, Any]) -> bool:
    selected, excluded = manifest["selected"], manifest["excluded"]
    if not (isinstance(selected, list) and isinstance(excluded, list)):
        return False
    named = all(
        isinstance(one, dict)
        and isinstance(one.get("document"), str)
        and isinstance(one.get("rank", 0), int)
        for one in [*selected, *excluded]
    )
    return named and all("reason" in one for one in excluded)


def _has_text_or_none(answer: Mapping[str, Any]) -> bool:
    return isinstance(answer.get("answer"), str | None)


def _lines(
    path: Path, wanted: Sequence[str], sound: Callable[[Mapping[str, Any]], bool]
) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    for number, text in enumerate(path.read_bytes().split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            line = dict(json.loads(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{path}, line {number} is damaged ({error}): run it again.") from None
        if lost := [key for key in wanted if key not in line]:
            raise ValueError(f"{path}, line {number} has no {lost[0]}: run it again.")
        if not sound(line):
            raise ValueError(f"{path}, line {number} is none that a run writes: run it again.")
        yield line


def gold_span(gold: str) -> tuple[str, int, int] | None:
    """Document, start and end of a gold passage "id[start:end]"; None for another name."""
    found = re.fullmatch(r"(.*)\[(\d+):(\d+)\]", gold, re.DOTALL)
    return (found[1], int(found[2]), int(found[3])) if found else None


def _is(passage: Mapping[str, Any], gold: str) -> bool:
    """The passage is of the gold document, or holds half of the gold span or more."""
    if passage["document"] == gold:
        return True
    span = gold_span(gold)
    if span is None or passage["document"] != span[0]:
        return False
    _, start, end = span
    held = min(passage.get("end", -1), end) - max(passage.get("start", -1), start)
    return bool(2 * held >= end - start)


def _prompt(manifest: Mapping[str, Any] | None, gold: str) -> int:
    if manifest is None:
        return UNKNOWN
    if any(_is(passage, gold) for passage in manifest["selected"]):
        return SHOWN
    dropped = (one for one in manifest["excluded"] if one["reason"] == OVER_BUDGET)
    return DROPPED if any(_is(passage, gold) for passage in dropped) else LEFT_OUT


def _used(manifest: Mapping[str, Any], answer: Mapping[str, Any], gold: str) -> int:
    """1 or 0 for a passage that is shown; UNKNOWN where the answer does not say."""
    cited = {*cited_numbers(answer.get("answer") or "")}
    if not (cited or answer.get("refused")):
        return UNKNOWN
    shown = enumerate(manifest["selected"], start=1)
    return int(any(number in cited and _is(passage, gold) for number, passage in shown))
