"""What a pipeline is made of, as flat names and short values for people to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.identity import describe

_NO_CHOICE = "id_func"  # LlamaIndex's hook for node ids, which we set ourselves


def parameters(part: Any) -> dict[str, str]:
    """Option -> value: `retriever` = Hybrid, `retriever.parts.bm25.k1` = 1.5, …

    part: a pipeline, or any other part; several of them by name.
    """
    told = describe(part)
    found = _flat(told.get("arguments", told), "")
    return {name: value for name, value in found if name.rpartition(".")[2] != _NO_CHOICE}


def _flat(value: Any, name: str) -> list[tuple[str, str]]:
    if isinstance(value, Mapping) and {"class", "arguments"} <= value.keys():
        own = [(name, str(value["class"]).rpartition(".")[2])]
        return own + _flat(value["arguments"], name)
    if isinstance(value, Mapping):
        prefix = f"{name}." if name else ""
        return [pair for key, part in value.items() for pair in _flat(part, f"{prefix}{key}")]
    return [(name, str(value))]
