"""What a report says: the card of a trial, the ladder of the best, and how much was tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.overfit.card import Card, card
from experiments.overfit.ladder import Rung, ladder
from experiments.overfit.redraws import Layout
from experiments.overfit.rules import Rules
from experiments.overfit.scores import TrialScores
from experiments.overfit_report.remembered import Remembered, remembered
from experiments.query_groups import kept_together

if TYPE_CHECKING:
    from experiments.ledger import Ledger
    from experiments.overfit_report.gathered import Gathered
    from experiments.schema import Dataset

EARLIER = "earlier trial"


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """One report.

    scores: of the gathered trials and of those that the ledger remembers beside them.
    remembered: the ledger's alone; those on the same halves are called "earlier trial N".
    notes: one sentence for each thing a reader should know.
    """

    gathered: Gathered
    scores: TrialScores
    card: Card
    ladder: Sequence[Rung]
    remembered: Remembered
    notes: Sequence[str]


def findings(
    gathered: Gathered,
    *,
    baseline: str | None = None,
    trial: str | None = None,
    layout: Layout | None = None,
    ledger: Ledger | None = None,
    rules: Rules | None = None,
) -> Findings:
    """Weigh the trials of a folder, and all that the ledger has seen on the same questions.

    baseline: the trial that the others are held against; None takes the first.
    trial: the one the card is of; None takes the best gathered one in public.
    ledger: None counts the gathered trials alone.
    Raises ValueError for an unknown name, and where no query is scored by all.
    """
    rules = rules or Rules()
    row = gathered.row(baseline)
    public, private = gathered.public, gathered.private
    earlier, n = remembered(gathered, ledger), len(gathered.public_ids)
    names = [*gathered.names, *(f"{EARLIER} {n}" for n in range(1, len(earlier.public) + 1))]
    scores = TrialScores(
        names,
        public=np.concatenate([public, earlier.public]),
        private=np.concatenate([private, earlier.private]) if len(gathered.private_ids) else None,
        baseline=row,
        layout=layout,
        higher_is_better=gathered.higher_is_better,
        public_beside=earlier.partly[:, :n],
        private_beside=earlier.partly[:, n:],
        untold=earlier.untold,
    )
    return Findings(
        gathered=gathered,
        scores=scores,
        card=card(scores, trial=trial or best_name(gathered, row), rules=rules),
        ladder=ladder(scores, rules=rules),
        remembered=earlier,
        notes=gathered.notes,
    )


def best_name(gathered: Gathered, baseline: int) -> str:
    """The gathered trial with the best public mean, the baseline apart; the first of equals.

    Raises ValueError where no query is scored by all.
    """
    scores = TrialScores(
        gathered.names,
        public=gathered.public,
        baseline=baseline,
        higher_is_better=gathered.higher_is_better,
    )
    gains = scores.gains()
    return gains.names[gains.winner]


def layout_of(dataset: Dataset, split: object, query_ids: Sequence[str]) -> Layout:
    """What the split of a dataset kept to, for queries in this order: strata and groups."""
    by_id = {query.id: query for query in dataset.queries}
    queries = [by_id[name] for name in query_ids]
    groups = np.zeros(len(queries), dtype=np.int64)
    for number, rows in enumerate(kept_together(queries, dataset)[0]):
        groups[rows] = number
    strata = getattr(split, "strata", None)
    return Layout(strata(queries) if strata else None, groups.tolist())
