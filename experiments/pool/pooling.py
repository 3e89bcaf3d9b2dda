"""A depth-k pool: what several runs find first, without a sign of which run found it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FEWEST = 3
POOL = "pool.json"


@dataclass(frozen=True, slots=True)
class Pool:
    """What is to be judged.

    pairs: (query id, document id) in the order shown: question by question, shuffled within one.
    runs: name -> its file and the sha256 of it.  depth: results of each run that were taken.
    dataset, dataset_fingerprint: what was pooled.  pooled_at: ISO time.
    """

    pairs: tuple[tuple[str, str], ...]
    runs: Mapping[str, Mapping[str, str]]
    depth: int
    seed: int
    dataset: str
    dataset_fingerprint: str
    pooled_at: str

    @property
    def fingerprint(self) -> str:
        """Of the pairs in their order; labels belong to one such pool."""
        return hashlib.sha256(json.dumps(self.pairs).encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        """All of it, for pool.json."""
        names = ("runs", "depth", "seed", "dataset", "dataset_fingerprint", "pooled_at")
        rest = {name: getattr(self, name) for name in names}
        return {"fingerprint": self.fingerprint, **rest, "pairs": [list(p) for p in self.pairs]}

    @classmethod
    def read(cls, path: Path) -> Pool:
        """What was written. Raises ValueError for a file that is no pool."""
        try:
            page = json.loads(path.read_text(encoding="utf-8"))
            pairs = tuple((str(query), str(document)) for query, document in page.pop("pairs"))
            page.pop("fingerprint")
            return cls(pairs=pairs, **page)
        except (OSError, RecursionError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f"{path} is no pool ({error}): give the folder of the run that made the page, "
                "pool.folder=…."
            ) from None


def pool_pairs(
    runs: Sequence[Mapping[str, Sequence[str]]],
    query_ids: Sequence[str],
    *,
    depth: int,
    seed: int,
) -> tuple[tuple[str, str], ...]:
    """The first `depth` documents of every run for every query, each once, in a seeded order.

    The order of a query's documents depends on the seed, the query and the documents alone, so it
    tells nothing of the runs. Pooling: Sparck Jones & van Rijsbergen 1975; TREC since 1992.
    Raises ValueError for a depth below 1, and for fewer than three runs that differ down to it: a
    pool of few favours them.
    """
    if depth < 1:
        raise ValueError(f"pool.depth is {depth}: give 1 or more.")
    different = {tuple(tuple(run.get(query, ())[:depth]) for query in query_ids) for run in runs}
    if len(different) < FEWEST:
        alike = f", {len(different)} of them different" if len(different) < len(runs) else ""
        raise ValueError(
            f"pool.runs leads to {len(runs)} rankings{alike}: give {FEWEST} or more that differ, "
            "for labels pooled from few favour those."
        )
    pairs: list[tuple[str, str]] = []
    for query in query_ids:
        found = sorted({name for run in runs for name in run.get(query, ())[:depth]})
        mark = int.from_bytes(hashlib.sha256(f"{seed} {query}".encode("utf-8", "replace")).digest())
        order = np.random.default_rng(mark).permutation(len(found))
        pairs += [(query, found[place]) for place in order]
    return tuple(pairs)
