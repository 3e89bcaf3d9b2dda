"""Rankings, plans and nodes for the tests of postprocessors."""

from __future__ import annotations

import numpy as np
from llama_index.core.schema import TextNode

from retrievers.ranking import EVERY_PART, QueryPlan, Ranking

PARTS = ("dense", "bm25")


def nodes_of(texts: list[str]) -> list[TextNode]:
    return [TextNode(id_=f"d{place}", text=text) for place, text in enumerate(texts)]


def plans_of(queries: list[str]) -> list[QueryPlan]:
    return [QueryPlan(str(place), {EVERY_PART: (text,)}) for place, text in enumerate(queries)]


def ranking_of(rows: list[list[int]], scores: np.ndarray | None = None, texts: int = 12) -> Ranking:
    """Rows of nodes, best first, with falling scores where none are given."""
    width = max(map(len, rows), default=0)
    nodes = np.full((len(rows), width), -1, dtype=np.int32)
    for place, row in enumerate(rows):
        nodes[place, : len(row)] = row
    if scores is None:
        scores = np.tile(2.0 - 0.25 * np.arange(width), (len(rows), 1))
    scores = np.where(nodes >= 0, scores, np.nan)
    ids = tuple(f"d{place}" for place in range(texts))
    parts = {name: scores.copy() for name in PARTS}
    if width:
        parts["bm25"][:, ::2] = np.nan
    return Ranking(tuple(map(str, range(len(rows)))), ids, nodes, scores, parts)
