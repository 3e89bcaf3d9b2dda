"""The postprocessors of a pipeline: in the right order, those of other libraries wrapped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.cross_encoder import CrossEncoder
from postprocessors.foreign import ForeignPostprocessor
from postprocessors.fuse import Fuse

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

    from retrievers.ranking import QueryPlan, Ranking

ROLES: tuple[str, ...] = get_args(Role)


def by_role(
    parts: Mapping[str, Any],
) -> tuple[list[BatchPostprocessor], list[BatchPostprocessor]]:
    """Those that rank, and those that only order the prompt.

    parts: name -> postprocessor, ours or any of LlamaIndex, in the order they run in.
    Raises ValueError where that is not the order of their roles, with the right one.
    """
    wrapped = {name: _wrapped(name, part) for name, part in parts.items()}
    _check_order(wrapped)
    ranking = [part for part in wrapped.values() if part.role != "reorder"]
    return ranking, [part for part in wrapped.values() if part.role == "reorder"]


def check_parts(parts: Sequence[BatchPostprocessor], given: Sequence[str]) -> None:
    """Raises ValueError where a `fuse` weighs what no step before it gives; before any work.

    given: the parts of the retriever's rankings. A step of another make may give any part, so
        nothing is said of what follows it.
    """
    known = [*given]
    for part in parts:
        if not type(part).__module__.startswith("postprocessors."):
            return
        if isinstance(part, Fuse):
            part.check(known)
        elif isinstance(part, CrossEncoder):
            known.append(part.part)


def through(
    parts: Sequence[BatchPostprocessor],
    ranking: Ranking,
    plans: Sequence[QueryPlan],
    nodes: Sequence[TextNode],
) -> Ranking:
    """The ranking after all of the parts."""
    for part in parts:
        ranking = part.postprocess_many(ranking, plans, nodes)
    return ranking


def _wrapped(name: str, part: Any) -> BatchPostprocessor:
    if isinstance(part, BatchPostprocessor):
        return part
    if not callable(getattr(part, "postprocess_nodes", None)):
        raise ValueError(
            f"postprocessor.{name} is {type(part).__name__}, which has no postprocess_nodes: give "
            "a LlamaIndex node postprocessor."
        )
    return ForeignPostprocessor(part=part)


def _check_order(parts: Mapping[str, BatchPostprocessor]) -> None:
    """A part without a role stays beside the one that it follows."""
    places, place = {}, 0
    for name, part in parts.items():
        place = place if part.role is None else ROLES.index(part.role)
        places[name] = min(place, ROLES.index("reorder") - (part.role is None))
    right = sorted(places, key=lambda name: places[name])
    if right == [*places]:
        return
    early = next(one for one, other in zip(places, right, strict=True) if one != other)
    raise ValueError(
        f"{early} stands too early: postprocessors run in the order {' → '.join(ROLES)}. "
        f"Write postprocessor=[{','.join(right)}]."
    )
