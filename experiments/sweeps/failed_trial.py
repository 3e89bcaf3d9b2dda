"""A failed trial in the ledger: it was tried, though nothing could choose it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hydra.utils import instantiate
from omegaconf import DictConfig

from experiments.identity import describe, fingerprint
from experiments.ledger import LedgerEntry
from experiments.mistakes import reason

if TYPE_CHECKING:
    from experiments.ledger import Ledger
    from experiments.sweeps.trial import Trial


def count_failed(trial: Trial, config: DictConfig) -> str | None:
    """Record it without a score; returns why it cannot be, None where it is or nothing counts.

    It goes by the fingerprint of its pipeline, under which the study may have counted it and a
    later success will stand. Where there is no pipeline, or one that did score, so that something
    else failed, it goes by what was swept.
    """
    try:
        ledger: Ledger | None = _made(config.ledger)
        if ledger is None:
            return None
        dataset = _made(config.dataset).load()
        public = _made(config.split).divide(dataset).public
        mark = _pipeline_mark(config)
        if mark is None or ledger.has_scores(dataset.fingerprint, mark, public):
            mark = fingerprint([trial.sweep.experiment, dict(trial.values)])
        entry = LedgerEntry(mark, public, trial.sweep.experiment)
        ledger.record(dataset.fingerprint, [entry])
    except Exception as error:  # what cannot be counted must not end the sweep
        return reason(error)
    return None


def _made(node: Any) -> Any:
    return instantiate(node, _convert_="all")


def _pipeline_mark(config: DictConfig) -> str | None:
    try:
        return fingerprint(describe(_made(config.pipeline)))
    except Exception:  # this is what the trial failed by
        return None
