"""Does a low or a high value of a chunk measure go with a gold passage that is missed?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from experiments.metrics.multiple_testing import holm
from experiments.misses.estimates import Estimate, passage_estimates
from experiments.misses.gold import GoldPassages
from experiments.misses.per_query import per_query_estimate
from experiments.misses.resampling import Floats
from experiments.misses.sample import Sample

LEVEL = 0.05
_POWER = 0.8
_ESTIMATES = ("auc", "share", "per_query")


@dataclass(frozen=True, slots=True)
class MissRelation:
    """What one measure has to do with misses. It says what goes together, not what causes what.

    missed, found: pairs of query and gold passage; a passage counts once for each query.
    without_value: pairs left out, as the measure gives their passage no value.
    auc: in how many of all comparisons a missed passage has a higher value than a found one,
        equal values counting half: 0.5 = no relation, 1 = all missed ones are higher.
    share: of all misses, those in the tenth of the gold passages with the `end` ("highest" or
        "lowest") values. The tenth is taken among the gold passages, so 0.1 = no relation.
    deciles: (share, low, high) for each tenth of the gold passages, lowest values first.
    per_query: Spearman's correlation of a query's score with its gold passages' mean value.
    spread: the standard deviation of the AUC where there is no relation.
    tests: measures in Holm's correction.
    within: values were held against the mean of their own document, as there are few.
    skipped: why misses could not be looked at, as half a sentence; "" where they could.
    """

    measure: str
    missed: int
    found: int
    without_value: int
    auc: Estimate | None = None
    share: Estimate | None = None
    end: str = "highest"
    deciles: tuple[tuple[float, float | None, float | None], ...] = ()
    per_query: Estimate | None = None
    spread: float | None = None
    tests: int = 1
    within: bool = False
    skipped: str = ""

    @property
    def name(self) -> str:
        """The measure as a sentence begins with it."""
        words = self.measure.replace("_", " ")
        return words[:1].upper() + words[1:]

    @property
    def related(self) -> bool:
        """Whether high or low values go with misses: the AUC, after Holm's correction, at 5 %."""
        return self.auc is not None and self.auc.corrected <= LEVEL

    @property
    def detectable(self) -> float | None:
        """The AUC above 0.5 that would be found four times in five with as many misses.

        None where nothing could be found. An approximation: (z(1 - 0.05 / 2 tests) + z(0.8))
        standard deviations of the AUC without a relation.
        """
        if self.spread is None:
            return None
        normal = NormalDist()
        steps = normal.inv_cdf(1 - LEVEL / (2 * self.tests)) + normal.inv_cdf(_POWER)
        smallest = 0.5 + steps * self.spread
        return smallest if smallest < 1 else None


def miss_relations(
    measures: Mapping[str, ArrayLike],
    gold: GoldPassages,
    *,
    scores: ArrayLike | None = None,
    draws: int = 2_000,
    seed: int = 0,
) -> dict[str, MissRelation]:
    """Each measure's relation with the misses, all held against luck together.

    measures: name -> one value a passage, float64 [n], NaN = none, in the rows of `gold`.
    scores: one score a query of `gold.query_ids`, NaN = not scored; None looks at misses alone.

    The interval redraws queries, or documents where queries are nested in them. The p-value lays
    the values over the passages anew, those of one document as neighbours (see `permutations`).
    Holm's correction is over the measures, for each statistic.
    Raises ValueError for a column of another length.
    """
    found = {
        name: _relation(name, _column(name, values, len(gold.documents)), gold, scores, draws, seed)
        for name, values in measures.items()
    }
    for statistic in _ESTIMATES:
        found = _corrected(found, statistic)
    tests = max(1, sum(relation.auc is not None for relation in found.values()))
    return {name: replace(relation, tests=tests) for name, relation in found.items()}


def _relation(
    name: str,
    values: Floats,
    gold: GoldPassages,
    scores: ArrayLike | None,
    draws: int,
    seed: int,
) -> MissRelation:
    sample = Sample.of(values, gold)
    missed = int(sample.missed.sum())
    relation = MissRelation(name, missed, len(sample.missed) - missed, sample.without_value)
    if scores is not None and len(sample.units):
        column = _column("scores", scores, len(gold.query_ids))[sample.query_rows]
        per_query = per_query_estimate(sample, column, draws, seed)
        relation = replace(relation, per_query=per_query)
    if fault := sample.fault(len(gold.queries)):
        return replace(relation, skipped=fault)
    told = passage_estimates(sample, draws, seed)
    return replace(
        relation,
        auc=told.auc,
        share=told.share,
        end=told.end,
        deciles=told.deciles,
        spread=told.spread,
        within=sample.within,
    )


def _corrected(found: Mapping[str, MissRelation], statistic: str) -> dict[str, MissRelation]:
    """The relations with Holm's correction on one of their estimates."""
    tested = {name: getattr(one, statistic) for name, one in found.items()}
    tested = {name: estimate for name, estimate in tested.items() if estimate is not None}
    corrected = holm([estimate.p for estimate in tested.values()]).tolist()
    changed = {
        name: replace(found[name], **{statistic: replace(estimate, corrected=p)})
        for (name, estimate), p in zip(tested.items(), corrected, strict=True)
    }
    return {name: changed.get(name, relation) for name, relation in found.items()}


def _column(name: str, values: ArrayLike, count: int) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (count,):
        raise ValueError(
            f"{name} has the shape {column.shape}: give one value for each of the {count} rows, "
            "NaN where there is none."
        )
    return column
