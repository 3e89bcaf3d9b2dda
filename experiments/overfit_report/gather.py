"""The per-query scores of all trials of a sweep or a run, from the files that it left."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.sweeps.trial import endings

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


_TABLE = "per_query.parquet"


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Several trials on the same queries, by one metric.

    names: k.  public_ids, private_ids: the queries of each half; no private ones while sealed.
    public, private: float64 [k, n] and [k, m], NaN where a query was not scored.
    dataset: the fingerprint of what they ran on, None where they say none.
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


def gather(folder: Path, metric: str | None = None) -> Gathered:
    """All trials of a sweep's folder, or all pipelines of a run's folder, in their order.

    metric: one of their columns; None takes the first.
    Raises ValueError: no such folder, fewer than two scored trials, an unknown metric, or trials
    that were scored on other halves.
    """
    tables, notes = _sweep(folder) if (folder / "sweep.json").exists() else _run(folder)
    if len(tables) < 2:
        raise ValueError(
            f"{folder} has {len(tables)} scored trials: name the folder of a sweep or of a "
            "comparison with two or more, such as report.folder=runs/sweeps/latest."
        )
    first = next(iter(tables.values()))
    metrics = [column for column in first if column != "split"]
    if metric is not None and metric not in metrics:
        raise ValueError(f"The trials were not scored by {metric}: there are {', '.join(metrics)}.")
    chosen = metric or metrics[0]
    public_ids, private_ids = _halves(first)
    for name, table in tables.items():
        if _halves(table) != (public_ids, private_ids) or chosen not in table:
            raise ValueError(
                f'The trial "{name}" was scored on other halves or by other metrics than '
                f'"{next(iter(tables))}": a report needs one split and one metric.'
            )
    return Gathered(
        names=tuple(tables),
        metric=chosen,
        higher_is_better=not chosen.startswith(("failure_rate", "1-recall")),
        public_ids=public_ids,
        private_ids=private_ids,
        public=_matrix(tables.values(), chosen, public_ids),
        private=_matrix(tables.values(), chosen, private_ids),
        dataset=_fingerprint(folder),
        notes=tuple(notes),
    )


def _sweep(folder: Path) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Trial -> its table, with a note for those that failed."""
    tables, failed = {}, 0
    for ending in endings(folder):
        paths = sorted((folder / f"{ending.number:04}").glob(f"*/{_TABLE}"))
        failed += not paths
        for path in paths:
            name = ending.name if len(paths) == 1 else f"{ending.name} {path.parent.name}"
            tables[name] = _read(path)
    return tables, [f"{failed} trials failed and have no scores."] if failed else []


def _run(folder: Path) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Pipeline -> its table, in the order of summary.json."""
    summary = folder / "summary.json"
    if not summary.exists():
        raise ValueError(
            f"{folder} holds no sweep and no run: give report.folder=FOLDER, such as "
            "runs/sweeps/latest."
        )
    names = json.loads(summary.read_text(encoding="utf-8"))["pipelines"]
    paths = {name: folder / name / _TABLE for name in names}
    return {name: _read(path) for name, path in paths.items() if path.exists()}, []


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_parquet(path)


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


def _fingerprint(folder: Path) -> str | None:
    """What the first trial says it ran on."""
    for path in [folder / "summary.json", *sorted(folder.glob("*/summary.json"))]:
        if path.exists():
            said = json.loads(path.read_text(encoding="utf-8"))
            return str(said["fingerprints"]["dataset"])
    return None
