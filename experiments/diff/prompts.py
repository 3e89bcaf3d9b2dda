"""What a run with answers adds: which gold passages its prompts show, and which it cites."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.gold_path import DROPPED, LEFT_OUT, SHOWN, UNKNOWN, GoldPaths
from experiments.metrics.answers import cited_numbers
from generation.evidence import OVER_BUDGET

MANIFESTS, ANSWERS = "manifests.jsonl", "answers.jsonl"


def with_prompts(gold: GoldPaths, folder: Path) -> GoldPaths:
    """The same paths with `prompt` and `used`, where manifests.jsonl and answers.jsonl stand.

    A passage is used where the answer cites its number, such as [2]. An answer that cites nothing
    does not say what it used, so nobody knows; one that refuses uses none.
    """
    manifests = {one["task_id"]: one for one in _lines(folder / MANIFESTS)}
    answers = {_query(one): one for one in _lines(folder / ANSWERS)}
    pairs = [*zip(gold.query, gold.gold, strict=True)]
    prompt = [_prompt(manifests.get(query), name) for query, name in pairs]
    used = [
        _used(manifests.get(query), answers.get(query), name) if at == SHOWN else UNKNOWN
        for (query, name), at in zip(pairs, prompt, strict=True)
    ]
    return replace(gold, prompt=tuple(prompt), used=tuple(used))


def ranked_in_prompts(folder: Path) -> dict[str, list[str]]:
    """Query id -> documents by rank, as far as the manifests name them."""
    ranked = {}
    for one in _lines(folder / MANIFESTS):
        passages = sorted([*one["selected"], *one["excluded"]], key=lambda each: each["rank"])
        ranked[one["task_id"]] = list(dict.fromkeys(each["document"] for each in passages))
    return ranked


def most_shown(folder: Path) -> int:
    """How many passages the fullest prompt shows; 0 where no manifests stand."""
    return max((len(one["selected"]) for one in _lines(folder / MANIFESTS)), default=0)


def answers_of(folder: Path) -> dict[str, str | None]:
    """Query id -> what the model said, None where its call failed; {} without answers.jsonl."""
    return {_query(one): one.get("answer") for one in _lines(folder / ANSWERS)}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.strip():
                yield json.loads(line)


def _query(answer: Mapping[str, Any]) -> str:
    return str(answer.get("query", answer.get("task_id")))


def _is(passage: Mapping[str, Any], gold: str) -> bool:
    """The passage is of the gold document, or holds half of the gold span or more."""
    document, _, place = gold.rpartition("[")
    if passage["document"] == gold:
        return True
    if passage["document"] != document or not re.fullmatch(r"\d+:\d+\]", place):
        return False
    start, end = map(int, place[:-1].split(":"))
    held = min(passage.get("end", -1), end) - max(passage.get("start", -1), start)
    return bool(2 * held >= end - start)


def _prompt(manifest: Mapping[str, Any] | None, gold: str) -> int:
    if manifest is None:
        return UNKNOWN
    if any(_is(passage, gold) for passage in manifest["selected"]):
        return SHOWN
    dropped = (one for one in manifest["excluded"] if one["reason"] == OVER_BUDGET)
    return DROPPED if any(_is(passage, gold) for passage in dropped) else LEFT_OUT


def _used(manifest: Mapping[str, Any] | None, answer: Mapping[str, Any] | None, gold: str) -> int:
    answer = answer or {}
    cited = {*cited_numbers(str(answer.get("answer") or answer.get("text") or ""))}
    if manifest is None or not (cited or answer.get("refused")):
        return UNKNOWN
    shown = enumerate(manifest["selected"], start=1)
    return int(any(number in cited and _is(passage, gold) for number, passage in shown))
