"""Made-up sets of gold passages of which the truth is known."""

import numpy as np

from experiments.misses.gold import GoldPassages


def gold_of(queries, passages, missed, documents):
    queries = np.asarray(queries, dtype=np.int64)
    return GoldPassages(
        query_ids=tuple(f"q{row}" for row in range(queries.max(initial=-1) + 1)),
        queries=queries,
        passages=np.asarray(passages, dtype=np.int64),
        missed=np.asarray(missed, dtype=bool),
        documents=np.asarray(documents),
    )


def world(seed, *, effect, queries=150, documents=300, per=1, alike=0.0, hard=0.0):
    """Values [n], pairs and scores: a higher value raises the log odds of a miss by `effect`.

    alike: how much of a value, and of what else makes a miss, is its document's.
    hard: how much queries differ.
    """
    rng = np.random.default_rng([seed, 7])
    owners = np.repeat(np.arange(documents), per)
    shared, luck = rng.normal(size=(2, documents))
    values = alike * shared[owners] + np.sqrt(1 - alike**2) * rng.normal(size=len(owners))
    asked = np.repeat(np.arange(queries), 2)
    home = np.repeat(rng.integers(0, documents, queries), 2)
    passages = home * per + rng.integers(0, per, len(asked)) if per > 1 else home
    passages[1::2] = rng.integers(0, len(owners), queries) if per == 1 else passages[1::2]
    odds = effect * values[passages] + 1.5 * alike * luck[owners[passages]] - 1
    odds += hard * rng.normal(size=queries)[asked]
    missed = rng.random(len(asked)) < 1 / (1 + np.exp(-odds))
    scores = 1 - np.bincount(asked, missed) / 2
    return values, gold_of(asked, passages, missed, owners), scores
