"""The gold passages that one measure gives a value to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.misses.gold import GoldPassages
from experiments.misses.resampling import Floats, Rows

FEW_DOCUMENTS = 20
"""Fewer cannot be told from each other's luck: passages are compared within their document."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The p pairs of query and gold passage whose passage has a value, over u distinct passages.

    values, documents: [u], passages of one document standing together.
    units, queries: int [p], the passage and the query (0, 1, …) of each pair.
    clusters: int [p], what is drawn as one: the pairs of a query, or those of a document where
        every query has one document and documents are not few.
    missed: float64 [p], 1 or 0.
    query_rows: int [q], the row of each query in `GoldPassages.query_ids`.
    without_value: how many pairs the measure gives no value to.
    within: values are differences from the mean of their document's gold passages, as few long
        documents share out many passages: what they differ in as wholes is no evidence.
    """

    values: Floats
    documents: Rows
    units: Rows
    queries: Rows
    clusters: Rows
    missed: Floats
    query_rows: Rows
    without_value: int
    within: bool

    @classmethod
    def of(cls, values: Floats, gold: GoldPassages) -> Sample:
        """The sample of a measure: values [n], NaN = none. Pairs stand query by query."""
        known = np.isfinite(values[gold.passages])
        pairs = np.flatnonzero(known)
        pairs = pairs[np.argsort(gold.queries[pairs], kind="stable")]
        passages = np.unique(gold.passages[pairs])
        passages = passages[np.argsort(gold.documents[passages], kind="stable")]
        places = np.zeros(len(values), dtype=np.int64)
        places[passages] = np.arange(len(passages))
        query_rows, queries = np.unique(gold.queries[pairs], return_inverse=True)
        _, owners = np.unique(gold.documents[passages], return_inverse=True)
        units = places[gold.passages[pairs]]
        known_values, within = _within_few(values[passages], owners)
        nested = np.unique(np.stack([queries, owners[units]]), axis=1).shape[1] == len(query_rows)
        return cls(
            values=known_values,
            documents=owners,
            units=units,
            queries=queries,
            clusters=owners[units] if nested and not within else queries,
            missed=gold.missed[pairs].astype(np.float64),
            query_rows=query_rows,
            without_value=int((~known).sum()),
            within=within,
        )

    def counts(self) -> tuple[Floats, Floats]:
        """How often each passage was missed, and how often found, [u] each."""
        size = len(self.values)
        missed = np.bincount(self.units, self.missed, size).astype(np.float64)
        return missed, np.bincount(self.units, minlength=size) - missed

    def fault(self, pairs: int) -> str:
        """Why no relation with misses can be looked for, as half a sentence; "" where it can.

        pairs: how many there are with and without a value.
        """
        if not pairs:
            return "no query names a gold passage"
        if not len(self.units):
            return "no gold passage has a value"
        if not self.missed.any():
            return f"none of the {len(self.units)} gold passages was missed"
        if self.missed.all():
            return f"all of the {len(self.units)} gold passages were missed"
        if self.values.min() == self.values.max():
            return f"all {len(self.values)} gold passages have the same value"
        return ""


def _within_few(values: Floats, owners: Rows) -> tuple[Floats, bool]:
    """The values, held against their document where few documents share many passages."""
    counts = np.bincount(owners)
    shared_out = len(values) >= FEW_DOCUMENTS * len(counts)
    if len(counts) >= FEW_DOCUMENTS or not shared_out or np.unique(values).size < 2:
        return values, False
    differences = values - (np.bincount(owners, values) / counts)[owners]
    rounding = 1e-12 * np.abs(values).max()
    return np.where(np.abs(differences) <= rounding, 0.0, differences), True
