"""What a pipeline is made of, as flat names and short values for people to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.identity import describe
from experiments.pipeline import Pipeline


def parameters(pipeline: Pipeline) -> dict[str, str]:
    """Option -> value: `retriever` = Hybrid, `retriever.parts.bm25.k1` = 1.5, …"""
    arguments = describe(pipeline)["arguments"]
    return dict(_flat(arguments, ""))


def _flat(value: Any, name: str) -> list[tuple[str, str]]:
    if isinstance(value, Mapping) and {"class", "arguments"} <= value.keys():
        own = [(name, str(value["class"]).rpartition(".")[2])]
        return own + _flat(value["arguments"], name)
    if isinstance(value, Mapping):
        prefix = f"{name}." if name else ""
        return [pair for key, part in value.items() for pair in _flat(part, f"{prefix}{key}")]
    return [(name, str(value))]
