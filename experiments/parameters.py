"""What a pipeline is made of, as flat names and short values for people to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from experiments.identity import describe

if TYPE_CHECKING:
    from experiments.pipeline import Pipeline

_NO_CHOICE = "id_func"  # LlamaIndex's hook for node ids, which we set ourselves


def parameters(part: Any) -> dict[str, str]:
    """Option -> value: `retriever` = Hybrid, `retriever.parts.bm25.k1` = 1.5, …

    part: a pipeline, or any other part; several of them by name.
    """
    told = describe(part)
    found = _flat(told.get("arguments", told), "")
    return {name: value for name, value in found if name.rpartition(".")[2] != _NO_CHOICE}


def weights_told(pipelines: Mapping[str, Pipeline]) -> list[str]:
    """What the parts of a nested fusion, and those of `fuse`, weigh in the end."""
    found: dict[str, list[str]] = {}
    for name, pipeline in pipelines.items():
        parts = getattr(pipeline.retriever, "parts", {})
        nested = any(hasattr(part, "parts") for part in parts.values())
        for one in [*([pipeline.retriever] if nested else []), *pipeline.postprocessors.values()]:
            if hasattr(one, "effective_weights"):
                weights = one.effective_weights().items()
                said = ", ".join(f"{part} {weight:g}" for part, weight in weights)
                found.setdefault(said, []).append(name)
    return [f"{', '.join(names)}: effective weights {said}" for said, names in found.items()]


def _flat(value: Any, name: str) -> list[tuple[str, str]]:
    if isinstance(value, Mapping) and {"class", "arguments"} <= value.keys():
        own = [(name, str(value["class"]).rpartition(".")[2])]
        return own + _flat(value["arguments"], name)
    if isinstance(value, Mapping):
        prefix = f"{name}." if name else ""
        return [pair for key, part in value.items() for pair in _flat(part, f"{prefix}{key}")]
    return [(name, str(value))]
