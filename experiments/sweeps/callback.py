"""What Hydra calls at the start and at the end of a sweep."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from experiments.mistakes import explained

if TYPE_CHECKING:
    from experiments.sweeps.running import RunningSweep


class SweepCallback(Callback):
    """Checks and opens a sweep, shows its trials, and closes it with its exit code."""

    def __init__(self) -> None:
        self._sweep: RunningSweep | None = None

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """A single run: is it meant to be one?"""
        from experiments.sweeps.traps import check_single

        with explained():
            check_single(config)

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Before the first trial: a mistake that would hit every trial ends it here."""
        from experiments.sweeps.running import RunningSweep
        from experiments.sweeps.traps import check_sweep

        with explained():
            check_sweep(config)
            self._sweep = RunningSweep.begin(config)

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """After the last trial: the table, and exit code 1 where a trial failed."""
        if self._sweep is None:
            return
        with explained():
            failed = self._sweep.end()
        if failed:
            sys.exit(1)

    def __getstate__(self) -> dict[str, Any]:
        """Worker processes get a callback that has nothing open."""
        return {"_sweep": None}
