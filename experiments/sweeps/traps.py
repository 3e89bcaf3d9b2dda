"""Commands that Hydra accepts and then runs otherwise than they read: each is refused, with why."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, ListConfig, OmegaConf

from experiments.building import check_options
from experiments.sweeps.plan import parsed


def check_sweep(config: DictConfig) -> None:
    """Raises ValueError with what to write instead, and ImportError where the extra is missing.

    config: a multirun's, with the node `hydra`.
    """
    _check_experiments(config)
    _check_pipeline(config)
    check_options(config)
    _check_plugins(config)
    _check_direction(config.hydra.sweeper.get("direction"))


def check_single(config: DictConfig) -> None:
    """Raises ValueError where an experiment describes a sweep that a single run would pass over."""
    if config.hydra.sweeper.get("params"):
        raise ValueError(
            "This experiment says what to sweep over (hydra.sweeper.params), which a single run "
            "passes over: add -m to the command."
        )


def _check_experiments(config: DictConfig) -> None:
    """A list of experiments: Hydra reads their own sweepers and launchers too late."""
    for override in _swept(config):
        if override.key_or_group != "experiment":
            continue
        names = [str(value) for value in override.sweep_string_iterator()]
        for name in names:
            pages = list(_pages(name, config))
            if any(_describes_sweep(page) for page in pages):
                raise ValueError(
                    f"+experiment={','.join(names)} is a list, and then Hydra passes over the "
                    f"sweep that {name} describes: run +experiment={name} by itself."
                )
            if any(_overrides(page, "hydra/launcher") for page in pages):
                raise ValueError(
                    f"+experiment={','.join(names)} is a list, and then Hydra passes over the "
                    f"launcher that {name} chooses: write hydra/launcher=… on the command line."
                )


def _check_pipeline(config: DictConfig) -> None:
    """An experiment that scores nothing has no trials."""
    listed = any(word.key_or_group == "experiment" for word in _swept(config))
    if listed or "setting" in config.experiment:
        return
    name = config.hydra.runtime.choices.get("experiment")
    given = f"+experiment={name} runs no pipeline" if name else "No +experiment=NAME is given"
    raise ValueError(f"{given}, so there is nothing to sweep over: leave out -m.")


def _swept(config: DictConfig) -> list[Override]:
    return [word for word in parsed(config.hydra.overrides.task) if word.is_discrete_sweep()]


def _describes_sweep(page: DictConfig) -> bool:
    keys = ("hydra.sweeper", "hydra.mode")
    return any(OmegaConf.select(page, key) for key in keys) or _overrides(page, "hydra/sweeper")


def _overrides(page: DictConfig, group: str) -> bool:
    words = {f"override {group}", f"override /{group}"}
    defaults = page.get("defaults") or []
    return any(isinstance(entry, DictConfig) and words & set(entry) for entry in defaults)


def _pages(name: str, config: DictConfig) -> Iterator[DictConfig]:
    """The file of an experiment, and those that it builds on."""
    for source in config.hydra.runtime.config_sources:
        path = Path(source.path) / "experiment" / f"{name}.yaml"
        if source.schema == "file" and path.is_file():
            page = OmegaConf.load(path)
            if isinstance(page, DictConfig):
                yield page
                yield from _bases(page.get("defaults"), config)


def _bases(defaults: ListConfig | None, config: DictConfig) -> Iterator[DictConfig]:
    for entry in defaults or []:
        if isinstance(entry, str) and entry != "_self_":
            yield from _pages(entry, config)


def _check_plugins(config: DictConfig) -> None:
    for part in (config.hydra.sweeper, config.hydra.launcher):
        module = ".".join(str(part.get("_target_")).split(".")[:2])
        if module.startswith("hydra_plugins.") and not _exists(module):
            raise ModuleNotFoundError(module, name=module)


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _check_direction(direction: Any) -> None:
    """Optuna minimises unless it is told otherwise."""
    if direction is not None and str(getattr(direction, "name", direction)) != "maximize":
        raise ValueError(
            f"hydra.sweeper.direction is {getattr(direction, 'name', direction)}, and this would "
            f"look for the worst pipeline: add hydra.sweeper.direction=maximize, also for a metric "
            f"that should be small."
        )
