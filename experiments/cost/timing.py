"""How long one query takes: leaves searched one query at a time, which a batch does not tell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from experiments.enriched import chunk_entries
from experiments.identity import asked_plans
from experiments.stage_files import load_array, save_array

if TYPE_CHECKING:
    from experiments.indexes import Indexes
    from experiments.store import StageStore
    from retrievers.ranking import QueryPlan

MOST_QUERIES = 50
_SECONDS = 1.0
_FEWEST = 5
_TRIES = 3
N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True, eq=False)
class SearchCost:
    """What searching costs.

    milliseconds: float64 [n], one a sampled query: its leaves, one after the other.
    index_bytes: of the stored indexes of all leaves; None without a store.
    build_seconds: what chunks, terms and indexes took when they were made; None where not all of
        them are stored.
    """

    milliseconds: NDArray[np.float64]
    index_bytes: int | None
    build_seconds: float | None = None


def search_cost(
    plans: Sequence[QueryPlan], depth: int, indexes: Indexes, store: StageStore, *, seed: int = 0
) -> SearchCost:
    """Time a seeded sample of at most 50 queries; each leaf is timed once and stored.

    A leaf stops after about a second, from five queries on. One that embeds on this machine embeds
    each query anew; vectors of other embeddings may come from the store, and then reading is timed.
    """
    keys = indexes.keys()
    sample = _sample(plans, seed)
    wanted = indexes.retriever.candidate_depth(depth)
    times = []
    for name in indexes.retriever.leaves():
        own = [plan.for_part(name) for plan in sample]
        key = {
            "index": keys[name],
            "plans": asked_plans(own),
            "depth": wanted,
        }

        build = partial(_leaf_times, name, own, depth=wanted, indexes=indexes)
        times.append(store.remember("search_times", key, build, save_array, load_array))
    count = min(map(len, times), default=0)
    total = np.sum([each[:count] for each in times], axis=0) if count else np.zeros(0)
    return SearchCost(
        1000.0 * np.asarray(total, dtype=np.float64),
        _total([store.size("index", key) for key in keys.values()]),
        _total(
            [store.seconds(*each) for each in (*chunk_entries(indexes.corpus), *indexes.entries())]
        ),
    )


def _leaf_times(
    name: str, plans: Sequence[QueryPlan], *, depth: int, indexes: Indexes
) -> NDArray[np.float64]:
    leaf = indexes.retriever.leaves()[name]
    indexes.open(name)
    with _embedding_anew(leaf):
        return _timed(lambda plan: leaf.retrieve_many([plan], depth), plans)


def _sample(plans: Sequence[QueryPlan], seed: int) -> list[QueryPlan]:
    order = np.random.default_rng(seed).permutation(len(plans))[:MOST_QUERIES]
    return [plans[int(place)] for place in order]


def _timed(search: Callable[[QueryPlan], Any], plans: Sequence[QueryPlan]) -> NDArray[np.float64]:
    """Seconds of each query, [n]: the best of three tries, as far as a second lasts for more.

    The best, for what else this machine does only adds; the first query is asked once before, for
    what is loaded at first use.
    """
    for plan in plans[:1]:
        search(plan)
    best = np.array([*_once(search, plans)], dtype=np.float64)
    spent = best.sum()
    for _ in range(_TRIES - 1):
        if spent + best.sum() > _SECONDS:
            break
        tried = np.array([*_once(search, plans[: len(best)])], dtype=np.float64)
        spent += tried.sum()
        best[: len(tried)] = np.minimum(best[: len(tried)], tried)
    return best


def _once(search: Callable[[QueryPlan], Any], plans: Sequence[QueryPlan]) -> Iterator[float]:
    spent = 0.0
    for place, plan in enumerate(plans):
        if place >= _FEWEST and spent > _SECONDS:
            return
        started = time.perf_counter()
        search(plan)
        seconds = time.perf_counter() - started
        spent += seconds
        yield seconds


@contextmanager
def _embedding_anew(leaf: Any) -> Iterator[None]:
    """Ask a local embedding itself, without the store of its vectors, which would be too quick."""
    stored = getattr(leaf, "embedding", None)
    model = getattr(stored, "model", None)
    if model is None or not type(model).__module__.startswith("retrievers."):
        yield
        return
    leaf.embedding = model
    try:
        yield
    finally:
        leaf.embedding = stored


def _total(parts: Sequence[N | None]) -> N | None:
    """The sum; None where a part is not known."""
    known = [part for part in parts if part is not None]
    return sum(known[1:], start=known[0]) if known and len(known) == len(parts) else None
