"""What has been seen of a private half, by opening it or without a seal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.ledger import OPENED, Ledger, LedgerEntry, ScoreRow
from experiments.seen_scores import seen_scores

if TYPE_CHECKING:
    from experiments.opening.stored_ranking import StoredRanking
    from experiments.overfit_report.gathered import Gathered


def record_opened(
    ledger: Ledger, opened: Gathered, pair: Sequence[StoredRanking], experiment: str
) -> None:
    """Note the private scores of the opened trials: who judges unsealed later counts them too."""
    entries = []
    for stored in pair:
        values = opened.private[opened.row(stored.name)]
        row = ScoreRow(OPENED, opened.metric, opened.private_ids, values)
        entries.append(LedgerEntry(stored.mark, opened.public_ids, experiment, [row]))
    ledger.record(opened.dataset or "", entries)


def others_shown(ledger: Ledger, opened: Gathered) -> int:
    """How many trials' scores of these private questions somebody has seen without opening them.

    On another split of the dataset they may have been public ones.
    """
    seen = seen_scores(
        ledger, opened.dataset or "", opened.metric, opened.private_ids, opened=False
    )
    return len(seen.scores) + len(seen.by_others)


def with_shown(opened: Gathered, ledger: Ledger) -> Gathered:
    """With what the ledger says was shown of the other trials, which then count too."""
    n, ids = len(opened.public_ids), (*opened.public_ids, *opened.private_ids)
    seen = seen_scores(ledger, opened.dataset or "", opened.metric, ids).scores
    told = np.isnan(opened.private).all(axis=0)  # what nobody can score stays unknown
    shown = {row[:n].tobytes(): row[n:] for row in seen if not np.isnan(row[n:][~told]).any()}
    private = opened.private.copy()
    for row, public in enumerate(opened.public.astype(np.float32)):
        if np.isnan(private[row]).all() and public.tobytes() in shown:
            private[row] = shown[public.tobytes()]
    return replace(opened, private=private)
