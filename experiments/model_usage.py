"""What the parts of a pipeline asked of models, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from experiments.identity import ROOMS
from generation.tally import StageUsage


@runtime_checkable
class CountsCalls(Protocol):
    """A model that counts its calls, such as `StoredLLM`."""

    def usage(self) -> Mapping[str, StageUsage]: ...


class UsageMeter:
    """The calls of all models in a part, from the moment the meter was made.

    part: a pipeline, or any part of one; models within parts within it count too.
    """

    def __init__(self, part: Any) -> None:
        self._models = list({id(model): model for model in _models(part)}.values())
        self._before = [dict(model.usage()) for model in self._models]

    def read(self) -> dict[str, StageUsage]:
        """Stage -> what its calls came to; stages without a call are left out."""
        found: dict[str, StageUsage] = {}
        for model, before in zip(self._models, self._before, strict=True):
            for stage, usage in model.usage().items():
                own = usage.since(before.get(stage, StageUsage()))
                if own.asked:
                    found[stage] = found[stage].plus(own) if stage in found else own
        return found


def _models(part: Any) -> Iterator[CountsCalls]:
    if isinstance(part, CountsCalls):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _models(value)
    elif type(part).__module__.split(".")[0] in ROOMS:
        yield from _models(getattr(part, "__dict__", {}))
