"""A trial's ranking as it stands in its folder, scored on one half of the queries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.imported_run import imported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.evaluation import Evaluator
    from experiments.schema import Dataset
    from retrievers.ranking import Ranking

_RANKING = "ranking.trec"


@dataclass(frozen=True, slots=True, eq=False)
class StoredRanking:
    """A ranking of documents and the fingerprint of the pipeline that made it."""

    name: str
    mark: str
    ranking: Ranking

    def scores(
        self, evaluator: Evaluator, metric: str, dataset: Dataset, query_ids: Sequence[str]
    ) -> NDArray[np.float64]:
        """One metric's score of these queries [n], in this order, NaN where not scored."""
        alone = replace(evaluator, names=[metric])
        table = alone.evaluate(self.ranking, dataset.qrels or {}, query_ids)
        places = {query: row for row, query in enumerate(table.query_ids)}
        return table.column(metric)[[places[query] for query in query_ids]]


def read_stored(name: str, folder: Path | None, dataset: Dataset) -> StoredRanking:
    """What a trial left in its folder. Raises ValueError where its ranking is not there."""
    if folder is None or not (folder / _RANKING).exists():
        raise ValueError(
            f'The trial "{name}" has no {_RANKING} in its folder, so its private half cannot be '
            "scored: run it again."
        )
    page = json.loads((folder.parent / "summary.json").read_text(encoding="utf-8"))
    mark = str(page["fingerprints"]["pipelines"][folder.name])
    return StoredRanking(name, mark, imported(folder / _RANKING, dataset).ranking)
