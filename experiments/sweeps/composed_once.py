"""Composing a trial's configuration takes 0.2 s, and Hydra does it twice: this does it once."""

from __future__ import annotations

import pickle
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf


class ComposedOnce(ConfigLoaderImpl):
    """Keeps what the sweeper's check of all trials composed, 20 kB each, for the launcher."""

    def __init__(self, config_search_path: Any) -> None:
        super().__init__(config_search_path)
        self._kept: dict[tuple[str, ...], bytes] | None = {}

    def load_sweep_config(
        self, master_config: DictConfig, sweep_overrides: list[str]
    ) -> DictConfig:
        """The configuration of one trial; each call returns its own copy."""
        key = tuple(sweep_overrides)
        if self._kept is None or key not in self._kept:
            composed = super().load_sweep_config(master_config, sweep_overrides)
            if self._kept is not None:
                self._kept[key] = pickle.dumps(composed)
            return composed
        config: DictConfig = pickle.loads(self._kept[key])
        OmegaConf.copy_cache(from_config=master_config, to_config=config)
        return config

    def __getstate__(self) -> dict[str, Any]:
        """Worker processes keep nothing: they compose each trial once anyway."""
        return {**self.__dict__, "_kept": None}


def compose_once() -> None:
    """Let the sweep that is about to start use it."""
    hydra = GlobalHydra.instance().hydra
    if hydra is not None:
        hydra.config_loader = ComposedOnce(hydra.config_loader.get_search_path())
