"""Queries of random words, no two of them alike, and a set of them."""

from __future__ import annotations

import random

from experiments.schema import Dataset, Query

WORDS = ["light", "wave", "atom", "cell", "gene", "force", "field", "heat", "orbit", "acid", "tide"]


def dataset(queries, qrels=None, spans=None):
    return Dataset("set", [], queries, qrels, "fingerprint", spans)


def distinct(n):
    draw = random.Random(0)
    return [Query(f"q{row:04}", f"{row} {' '.join(draw.choices(WORDS, k=8))}") for row in range(n)]
