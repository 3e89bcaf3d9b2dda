"""A trial's cost as numbers: what a tracker, a table and a script read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from experiments.pipeline import Outcome

P50, P95, BUILD, BYTES = "ms_per_query_p50", "ms_per_query_p95", "build_seconds", "index_bytes"
TOKENS, USD, TIMED = "tokens", "usd", "queries_timed"


def cost_of(outcome: Outcome) -> dict[str, float]:
    """Name -> finite number; what nobody knows is left out.

    ms_per_query_p50, ms_per_query_p95: one query on its own. Searching is timed on a sample
        (`queries_timed` of them), without the weighted sum of a fusion; gate and postprocessors
        are the batch's mean a query. What a gate measured and a reranker scored before costs what
        it cost then; answers of models that were stored cost nothing.
    build_seconds: chunks, terms and indexes as they were first made, this trial's own where they
        are not stored; vectors and notes that were stored before cost what reading them costs.
    index_bytes: of the stored indexes.  tokens: read and written by models.
    usd: their price; left out where it is unknown.
    """
    queries, seconds, search = max(len(outcome.plans), 1), outcome.seconds, outcome.search
    found = {BUILD: seconds.get("chunk", 0.0) + seconds.get("index", 0.0)}
    if search is not None and search.build_seconds is not None:
        found[BUILD] = search.build_seconds
    if search is not None and search.milliseconds.size:
        gate = outcome.saved.get("gate", 0.0) or seconds.get("gate", 0.0)
        rest = gate + seconds.get("postprocess", 0.0) + outcome.saved.get("postprocess", 0.0)
        times = search.milliseconds + 1000.0 * rest / queries
        p50, p95 = np.percentile(times, [50, 95])
        found |= {P50: float(p50), P95: float(p95), TIMED: float(times.size)}
    if search is not None and search.index_bytes is not None:
        found[BYTES] = float(search.index_bytes)
    return found | _spent({stage: spent.numbers() for stage, spent in outcome.usage.items()})


def _spent(usage: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    tokens = sum(
        each.get("tokens_in", 0.0) + each.get("tokens_out", 0.0) for each in usage.values()
    )
    prices = [each.get("usd") for each in usage.values()]
    known = {} if None in prices else {USD: sum(price or 0.0 for price in prices)}
    return {TOKENS: tokens, **known}
