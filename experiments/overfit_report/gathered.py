"""Several trials' scores of the same queries, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.metrics.direction import higher_is_better

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One trial as it was found.

    table: a row a query, its column "split", then a column a metric.
    dataset: the fingerprint of what it ran on, None where nothing says it.
    folder: where its ranking lies; None where that is no local folder.
    cautions: signs that its scores are too good.
    """

    name: str
    _: KW_ONLY
    table: pd.DataFrame
    dataset: str | None = None
    folder: Path | None = None
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Several trials on the same queries, by one metric.

    names: k.  public_ids, private_ids: the queries of each half; no private ones while sealed.
    public, private: float64 [k, n] and [k, m], NaN where a query was not scored.
    dataset: the fingerprint of what they ran on, None where they say none.
    folders: k, where each trial's ranking lies; None where that is no local folder.
    notes: one sentence for each thing that was left out.
    """

    names: tuple[str, ...]
    metric: str
    higher_is_better: bool
    public_ids: tuple[str, ...]
    private_ids: tuple[str, ...]
    public: NDArray[np.float64]
    private: NDArray[np.float64]
    dataset: str | None = None
    folders: tuple[Path | None, ...] = ()
    notes: tuple[str, ...] = ()

    def row(self, name: str | None) -> int:
        """The row of a trial; the first for None. Raises ValueError for a name that is not here."""
        if name is None:
            return 0
        if name not in self.names:
            raise ValueError(
                f'There is no trial "{name}" here: choose one of {", ".join(self.names[:10])}.'
            )
        return self.names.index(name)


def side_by_side(
    trials: Sequence[Scored], metric: str | None = None, notes: Sequence[str] = ()
) -> Gathered:
    """Two or more trials as one table; equal names are numbered.

    metric: one of their columns; None takes the first.
    A trial without any public score is left out, with a note.
    Raises ValueError for an unknown metric, for trials on other datasets, halves or metrics, and
    where fewer than two have a score.
    """
    first = trials[0]
    metrics = [column for column in first.table if column != "split"]
    if metric is not None and metric not in metrics:
        raise ValueError(f"The trials were not scored by {metric}: there are {', '.join(metrics)}.")
    chosen = metric or metrics[0]
    halves = _halves(first.table)
    for trial in trials:
        alike = _halves(trial.table) == halves and trial.dataset == first.dataset
        if not alike or chosen not in trial.table:
            raise ValueError(
                f'The trial "{trial.name}" was scored on another dataset, on other halves or by '
                f'other metrics than "{first.name}": a report needs one split and one metric.'
            )
    trials, empty = _scored(trials, chosen)
    if len(trials) < 2:
        raise ValueError(
            f"{len(trials)} of these trials has a score by {chosen}: a report needs two or more."
        )
    tables = [trial.table for trial in trials]
    return Gathered(
        names=_distinct([trial.name for trial in trials]),
        metric=chosen,
        higher_is_better=higher_is_better(chosen),
        public_ids=halves[0],
        private_ids=halves[1],
        public=_matrix(tables, chosen, halves[0]),
        private=_matrix(tables, chosen, halves[1]),
        dataset=first.dataset,
        folders=tuple(trial.folder for trial in trials),
        notes=(*notes, *empty, *_cautions(trials)),
    )


def _scored(trials: Sequence[Scored], metric: str) -> tuple[list[Scored], list[str]]:
    """Those with a public score, and a sentence for each other one: it would hide every query."""
    scored, notes = [], []
    for trial in trials:
        if trial.table.loc[trial.table["split"] == "public", metric].notna().any():
            scored.append(trial)
        else:
            notes.append(f'The trial "{trial.name}" has no public score by {metric}: left out.')
    return scored, notes


def _cautions(trials: Sequence[Scored]) -> list[str]:
    """Each caution once, with the number of trials that share it."""
    said = Counter(caution for trial in trials for caution in trial.cautions)
    return [f"Caution ({many} of {len(trials)} trials): {one}" for one, many in said.items()]


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Long values are cut for reading, so two trials may bear one name."""
    return tuple(
        f"{name} ({place + 1})" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    )


def _halves(table: pd.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    public, private = (
        tuple(sorted(table.index[table["split"] == side])) for side in ("public", "private")
    )
    return public, private


def _matrix(
    tables: Iterable[pd.DataFrame], metric: str, ids: tuple[str, ...]
) -> NDArray[np.float64]:
    rows = [table.loc[list(ids), metric].to_numpy(float) for table in tables]
    return np.array(rows).reshape(len(rows), len(ids))
