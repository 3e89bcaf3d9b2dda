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


@runtime_checkable
class SavesTime(Protocol):
    """A part that reads what it once computed, such as `StoredPairScorer`.

    saved: seconds that this took then.
    """

    saved: float


class UsageMeter:
    """The calls of all models in a part, from the moment the meter was made.

    part: a pipeline, or any part of one; models within parts within it count too.
    """

    def __init__(self, part: Any) -> None:
        self._models: list[CountsCalls] = _distinct(part, CountsCalls)
        self._savers: list[SavesTime] = _distinct(part, SavesTime)
        self._before = [dict(model.usage()) for model in self._models]
        self._saved = sum(one.saved for one in self._savers)

    def saved(self) -> float:
        """Seconds that what was read from stores since took when it was computed."""
        return sum(one.saved for one in self._savers) - self._saved

    def read(self) -> dict[str, StageUsage]:
        """Stage -> what its calls came to; stages without a call are left out."""
        found: dict[str, StageUsage] = {}
        for model, before in zip(self._models, self._before, strict=True):
            for stage, usage in model.usage().items():
                own = usage.since(before.get(stage, StageUsage()))
                if own.asked:
                    found[stage] = found[stage].plus(own) if stage in found else own
        return found


def _distinct(part: Any, kind: type) -> list[Any]:
    return list({id(one): one for one in _found(part, kind)}.values())


def _found(part: Any, kind: type) -> Iterator[Any]:
    if isinstance(part, kind):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _found(value, kind)
    elif type(part).__module__.split(".")[0] in ROOMS:
        yield from _found(getattr(part, "__dict__", {}), kind)
