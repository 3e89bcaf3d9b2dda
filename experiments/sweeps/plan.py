"""What a sweep is going to do, read from its words before the first trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The options that vary, each with its values as typed, and how many trials that makes.

    total: of a grid the product; of a sampler what `hydra.sweeper.n_trials` says.
    """

    values: Mapping[str, str]
    total: int

    @property
    def names(self) -> dict[str, str]:
        """Option -> its shortest ending that no other swept option shares."""
        return {key: _shortest(key, list(self.values)) for key in self.values}

    def touches(self, group: str) -> bool:
        """Whether any swept option lies in this group of the configuration."""
        return any(key.split("@")[0].split(".")[0] == group for key in self.values)


def plan(config: DictConfig) -> SweepPlan:
    """The plan of a multirun's configuration: `hydra.sweeper.params` and the command line.

    Where both name an option, the command line counts.
    """
    sweeper = config.hydra.sweeper
    words = [f"{key}={value}" for key, value in (sweeper.get("params") or {}).items()]
    chosen = {
        override.get_key_element().lstrip("+"): override
        for override in parsed([*words, *config.hydra.overrides.task])
    }
    swept = {key: override for key, override in chosen.items() if override.is_sweep_override()}
    values = {key: str(o.input_line).split("=", 1)[1] for key, o in swept.items()}
    grid = prod(len(list(o.sweep_iterator())) for o in swept.values() if o.is_discrete_sweep())
    return SweepPlan(values, int(sweeper.get("n_trials") or grid))


def parsed(words: Sequence[Any]) -> list[Override]:
    """Words of the command line as Hydra reads them."""
    overrides: list[Override] = OverridesParser.create().parse_overrides([*map(str, words)])
    return overrides


def _shortest(key: str, keys: Sequence[str]) -> str:
    parts = key.split(".")
    for start in range(len(parts) - 1, 0, -1):
        ending = ".".join(parts[start:])
        if sum(other == ending or other.endswith(f".{ending}") for other in keys) == 1:
            return ending
    return key
