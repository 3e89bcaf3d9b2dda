"""A pipeline without each of its parts, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from experiments.identity import describe

if TYPE_CHECKING:
    from experiments.pipeline import Pipeline

_DEFAULT, _RAW = "zscore", "none"


def without_each(pipeline: Pipeline, instead: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Name -> what one variant replaces of the pipeline.

    instead: part of the pipeline (chunker, enrich, query, gate) -> what stands there when it is
        switched off; a part that is that already is left out.
    Then each postprocessor, each leaf of a fusion, and the fusion's normalisation: back to zscore,
    or where it is that, the raw scores. A later fuse step no longer weighs what is gone.
    """
    variants = {
        f"without {name}": {name: part}
        for name, part in instead.items()
        if describe(part) != describe(getattr(pipeline, name))
    }
    for name, part in pipeline.postprocessors.items():
        rest = {other: one for other, one in pipeline.postprocessors.items() if other != name}
        gone = getattr(part, "part", None) if hasattr(part, "scorer") else None
        variants[f"without {name}"] = {"postprocessors": _unweighed(rest, gone)}
    variants |= _leaves(pipeline)
    variants |= _normalisation(pipeline)
    return variants


def _leaves(pipeline: Pipeline) -> dict[str, dict[str, Any]]:
    retriever = pipeline.retriever
    weights: Mapping[str, float] = getattr(retriever, "effective_weights", dict)()
    used = {name: weight for name, weight in weights.items() if weight > 0}
    if len(used) < 2:
        return {}
    variants: dict[str, dict[str, Any]] = {}
    for name in used:
        rest = {other: weight for other, weight in used.items() if other != name}
        changes = {"retriever": retriever.reweighted(rest)}  # type: ignore[attr-defined]
        if any(_weighs(part, name) for part in pipeline.postprocessors.values()):
            changes["postprocessors"] = _unweighed(pipeline.postprocessors, name)
        variants[f"without {name}"] = changes
    return variants


def _normalisation(pipeline: Pipeline) -> dict[str, dict[str, Any]]:
    retriever = pipeline.retriever
    if not hasattr(retriever, "reweighted") or len(retriever.leaves()) < 2:
        return {}
    rules = retriever.rules().values()  # type: ignore[attr-defined]
    other = _RAW if {rule.normalise for rule in rules} == {_DEFAULT} else _DEFAULT
    weights = retriever.effective_weights()  # type: ignore[attr-defined]
    return {f"normalise {other}": {"retriever": retriever.reweighted(weights, normalise=other)}}


def _weighs(part: Any, name: str) -> bool:
    return hasattr(part, "effective_weights") and name in part.effective_weights()


def _unweighed(parts: Mapping[str, Any], gone: str | None) -> dict[str, Any]:
    """The same postprocessors, none of which weighs what nobody gives any more."""
    return dict(_kept(parts, gone))


def _kept(parts: Mapping[str, Any], gone: str | None) -> Iterator[tuple[str, Any]]:
    for name, part in parts.items():
        if gone is None or not _weighs(part, gone):
            yield name, part
            continue
        weights = {each: w for each, w in part.effective_weights().items() if each != gone}
        if any(weights.values()):
            yield name, part.model_copy(update={"weights": weights})
