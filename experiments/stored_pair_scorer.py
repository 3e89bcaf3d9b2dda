"""Any pair scorer with its scores kept by exact pair, across datasets and runs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from experiments.identity import describe
from generation.progress import progress
from postprocessors.cross_encoder import checked
from postprocessors.pair_scorer import FittedPairScorer, PairScorer
from retrievers.ranking import Scores

_RECORD = np.dtype([("score", "<f8"), ("seconds", "<f4")])


class StoredPairScorer:
    """Asks `scorer` only for pairs that it has not scored before.

    scorer: what does the work; its scores must depend on the pair alone, so one that is fitted on
        a corpus is refused.
    store: a `Store` or `NoStore`.
    block: pairs that it gets at once; each block is kept as it is done, so a killed run loses one.
    saved: seconds that the pairs that were read took when they were scored.
    """

    labels: ClassVar[frozenset[str]] = frozenset({"store", "block"})

    def __init__(self, scorer: PairScorer, *, store: Any, block: int = 256) -> None:
        if isinstance(scorer, FittedPairScorer):
            raise ValueError(
                f"{type(scorer).__name__} is fitted on a corpus, so its scores of pairs cannot be "
                "kept for others: use it without StoredPairScorer."
            )
        self.scorer, self.store, self.block = scorer, store, block
        self.saved = 0.0

    def identity(self) -> Any:
        """The store does not change a score, so the scorer alone identifies this part."""
        return describe(self.scorer)

    def score_pairs(self, queries: Sequence[str], texts: Sequence[str]) -> Scores:
        """Scores of the pairs, float64 [n]; a pair that stands twice is scored once."""
        keys = [_key(query, text) for query, text in zip(queries, texts, strict=True)]
        records = self.store.records("timed_pairs", self.identity())
        known = records.get(list(dict.fromkeys(keys)))
        self.saved += float(_read(known.values())["seconds"].sum())
        missing = {
            key: (query, text)
            for key, query, text in zip(keys, queries, texts, strict=True)
            if key not in known
        }
        wanted = list(missing.items())
        blocks = [wanted[start : start + self.block] for start in range(0, len(wanted), self.block)]
        for block in progress(blocks, f"scoring {len(wanted)} pairs of query and passage"):
            asked, read = [pair[0] for _, pair in block], [pair[1] for _, pair in block]
            started = time.perf_counter()
            scores = checked(self.scorer.score_pairs(asked, read), asked, read)
            each = (time.perf_counter() - started) / len(block)
            values = np.array([(score, each) for score in scores], dtype=_RECORD)
            fresh = {key: value.tobytes() for (key, _), value in zip(block, values, strict=True)}
            records.put(fresh)
            known |= fresh
        return np.ascontiguousarray(_read(known[key] for key in keys)["score"])


def _read(values: Iterable[bytes]) -> NDArray[np.void]:
    return np.frombuffer(b"".join(values), dtype=_RECORD)


def _key(query: str, text: str) -> str:
    """One text that no other pair has."""
    return f"{len(query)} {query}{text}"
