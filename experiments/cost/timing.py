"""How long one query takes: leaves searched one query at a time, which a batch does not tell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.identity import fingerprint
from experiments.stage_files import load_array, save_array

if TYPE_CHECKING:
    from experiments.indexes import Indexes
    from experiments.store import StageStore
    from retrievers.ranking import QueryPlan

MOST_QUERIES = 50
_SECONDS = 1.0
_FEWEST = 5


@dataclass(frozen=True, slots=True, eq=False)
class SearchCost:
    """What searching costs.

    milliseconds: float64 [n], one a sampled query: its leaves, one after the other.
    index_bytes: of the stored indexes of all leaves; None without a store.
    """

    milliseconds: NDArray[np.float64]
    index_bytes: int | None


def search_cost(
    plans: Sequence[QueryPlan], depth: int, indexes: Indexes, store: StageStore, *, seed: int = 0
) -> SearchCost:
    """Time a seeded sample of at most 50 queries; each leaf is timed once and stored.

    A leaf stops after one second, from five queries on. One that embeds on this machine embeds
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
            "plans": fingerprint([[plan.id, dict(plan.texts)] for plan in own]),
            "depth": wanted,
        }

        build = partial(_leaf_times, name, own, depth=wanted, indexes=indexes)
        times.append(store.remember("search_times", key, build, save_array, load_array))
    count = min(map(len, times), default=0)
    total = np.sum([each[:count] for each in times], axis=0) if count else np.zeros(0)
    return SearchCost(1000.0 * np.asarray(total, dtype=np.float64), _bytes(keys, store))


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
    """Seconds of each query, [n]; the first is asked twice, for what is loaded at first use."""
    seconds: list[float] = []
    for plan in plans[:1]:
        search(plan)
    for plan in plans:
        if len(seconds) >= _FEWEST and sum(seconds) > _SECONDS:
            break
        started = time.perf_counter()
        search(plan)
        seconds.append(time.perf_counter() - started)
    return np.array(seconds, dtype=np.float64)


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


def _bytes(keys: Mapping[str, Any], store: StageStore) -> int | None:
    sizes = [store.size("index", key) for key in keys.values()]
    return None if None in sizes else sum(size or 0 for size in sizes)
