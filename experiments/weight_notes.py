"""What the parts of fusions weigh in the end, as notes for a reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.pipeline import Pipeline


def weight_notes(pipelines: Mapping[str, Pipeline]) -> list[str]:
    """One sentence for each weighting of a nested fusion or of `fuse`, with who has it."""
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
