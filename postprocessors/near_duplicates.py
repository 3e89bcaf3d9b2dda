"""Of nearly equal passages, the best-ranked one stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, MetadataMode

from postprocessors.base import BatchPostprocessor, Role
from postprocessors.selection import distinct, kept, node_texts
from retrievers.analyzers import clean
from retrievers.ranking import Flags, QueryPlan, Ranking

if TYPE_CHECKING:
    from scipy import sparse


class NearDuplicates(BatchPostprocessor):
    """Leaves out a candidate that is nearly equal to one that stands before it and stays.

    threshold: two passages are nearly equal when the Jaccard similarity of their sets of runs of
        `shingle` letters is at least this (Broder, SEQUENCES 1997). Texts are read as the
        analyzers read them, each run of white space as one blank; a shorter text is one run. A
        blank passage is like none.
    It is the measure of `chunk_quality.duplicates`, without its exception for overlapping
    neighbours: a reader of the list gains nothing from the second.
    """

    role: ClassVar[Role | None] = "filter"

    threshold: float = Field(default=0.8, gt=0, le=1)
    shingle: int = Field(default=5, ge=1)

    def postprocess_many(
        self, ranking: Ranking, plans: Sequence[QueryPlan], nodes: Sequence[BaseNode]
    ) -> Ranking:
        """Each list without the later ones of nearly equal passages."""
        rows, places = distinct(ranking)
        sets = _shingles(node_texts(nodes, rows, MetadataMode.NONE), self.shingle)
        stays = np.zeros(ranking.nodes.shape, dtype=np.bool_)
        for row, length in enumerate(ranking.lengths()):
            stays[row, :length] = self._first_of_each(sets[places[row, :length]])
        after = kept(ranking, stays)
        dropped = int((ranking.lengths() - after.lengths()).sum())
        self._notes = (f"near_duplicates left out {dropped} candidates.",) if dropped else ()
        return after

    def _first_of_each(self, sets: sparse.csr_array) -> Flags:
        """Which of the sets, in their order, are like none before them that stays."""
        shared = (sets @ sets.T).toarray()
        sizes = np.diff(sets.indptr)
        either = sizes[:, None] + sizes[None, :] - shared
        alike = np.tril((shared > 0) & (shared >= self.threshold * either), k=-1)
        stays = np.ones(len(sizes), dtype=np.bool_)
        for place in np.flatnonzero(alike.any(axis=1)):
            stays[place] = not (alike[place] & stays).any()
        return stays


def _shingles(texts: Sequence[str], length: int) -> sparse.csr_array:
    """The set of runs of each text, as a row of ones."""
    from scipy import sparse

    numbers: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    for text in texts:
        line = " ".join(clean(text).split())
        runs = {line[start : start + length] for start in range(max(1, len(line) - length + 1))}
        columns += sorted(numbers.setdefault(run, len(numbers)) for run in runs if run)
        ends.append(len(columns))
    ones = np.ones(len(columns), dtype=np.int64)
    return sparse.csr_array((ones, columns, ends), shape=(len(texts), len(numbers)))
