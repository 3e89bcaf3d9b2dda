"""The table every score comes from: one row a query, one column a metric."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.significance import PairedDifference, paired_difference
from experiments.schema import Mean

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class PerQuery:
    """The scores of one ranking.

    values: float64 [q, m], NaN where a query cannot be scored.
    higher_is_better: [m].  notes: one sentence for each thing a reader of the means should know.
    missing: relevant labels whose document is in no corpus; they count as never found.
    """

    query_ids: tuple[str, ...]
    metrics: tuple[str, ...]
    values: NDArray[np.float64]
    higher_is_better: tuple[bool, ...]
    notes: tuple[str, ...] = ()
    missing: int = 0

    def column(self, metric: str) -> NDArray[np.float64]:
        """One metric's score of every query, [q]."""
        return self.values[:, self._place(metric)]

    def of(self, metric: str, query_ids: Iterable[str]) -> NDArray[np.float64]:
        """One metric's scores of those of the queries that were scored, in the table's order."""
        scores = self.column(metric)[np.sort(self._rows(query_ids))]
        return scores[~np.isnan(scores)]

    def mean(self, query_ids: Iterable[str] | None = None) -> dict[str, Mean]:
        """Metric -> mean over these queries (default: all), with how many of them were scored."""
        rows = self._rows(self.query_ids if query_ids is None else query_ids)
        # Rows in the table's order: a sum must not depend on the order of the ids asked for.
        values = self.values[np.sort(rows)]
        return {name: _mean(values[:, place]) for place, name in enumerate(self.metrics)}

    def difference(
        self, baseline: PerQuery, metric: str, query_ids: Iterable[str] | None = None
    ) -> PairedDifference:
        """This ranking minus a baseline, over the queries (default: all) that both scored."""
        wanted = [*(self.query_ids if query_ids is None else query_ids)]
        return paired_difference(
            self.column(metric)[self._rows(wanted)],
            baseline.column(metric)[baseline._rows(wanted)],
            higher_is_better=self.higher_is_better[self._place(metric)],
        )

    def frame(self) -> pd.DataFrame:
        """The table as a data frame, indexed by query id."""
        import pandas as pd

        index = pd.Index(self.query_ids, name="query")
        return pd.DataFrame(self.values, index=index, columns=[*self.metrics])

    def _place(self, metric: str) -> int:
        if metric not in self.metrics:
            raise ValueError(f"{metric} was not scored: there are {', '.join(self.metrics)}.")
        return self.metrics.index(metric)

    def _rows(self, query_ids: Iterable[str]) -> NDArray[np.intp]:
        places = {query: row for row, query in enumerate(self.query_ids)}
        wanted = dict.fromkeys(query_ids)
        strangers = [query for query in wanted if query not in places]
        if strangers:
            raise ValueError(
                f"{len(strangers)} of {len(wanted)} queries were not scored, such as "
                f'"{strangers[0]}": name queries of the evaluation set.'
            )
        return np.array([places[query] for query in wanted], dtype=np.intp)


def _mean(scores: NDArray[np.float64]) -> Mean:
    scored = scores[~np.isnan(scores)]
    return Mean(float(scored.mean()) if scored.size else None, scored.size, scores.size)
