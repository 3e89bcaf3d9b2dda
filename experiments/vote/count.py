"""Counting: weighted positional votes, or reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from retrievers.ranking import Ranking, Scores, best_first
from retrievers.score_fusion import PartRule, fuse_scores, union

Method = Literal["borda", "rrf"]

_DEEPEST, _HEAVIEST = 100_000, 1e9


def check(method: str, weights: Sequence[float], files: int, k: int | None = None) -> None:
    """Raises ValueError for too few files, an unknown method, no depth, weights that do not fit."""
    if files < 2:
        raise ValueError(
            f"vote.files names {files} file{'' if files == 1 else 's'}: give two or more, "
            "'vote.files=[FILE,FILE]'."
        )
    if k is not None and not 1 <= k <= _DEEPEST:
        raise ValueError(f"vote.k is {k}: give 1 to {_DEEPEST:,}, or leave it out.")
    if method not in get_args(Method):
        raise ValueError(f'vote.method is "{method}": choose {" or ".join(get_args(Method))}.')
    if len(weights) != files:
        raise ValueError(
            f"vote.weights holds {len(weights)} and vote.files {files}: give one weight a file."
        )
    if not all(0 <= weight <= _HEAVIEST for weight in weights) or not any(weights):
        raise ValueError(
            f"vote.weights is {[*weights]}: give numbers from 0 to {_HEAVIEST:g}, and one of them "
            "above 0."
        )


def count(
    ballots: Sequence[Mapping[str, Sequence[str]]],
    weights: Sequence[float],
    *,
    queries: Sequence[str],
    documents: Sequence[str],
    k: int,
    method: str = "borda",
) -> Ranking:
    """The k documents with the most votes for each query; ties stand in corpus order.

    borda: a document at rank r of a file gets weight x (k + 1 - r) votes, none below rank k
        (positional voting, Borda 1781). With weights 5, 3, 1 and k = 1 it is a plain vote.
    rrf: weight / (60 + r) (reciprocal rank fusion, Cormack et al., SIGIR 2009), over whole files.
    An empty list is a vote for "no document": it wins where the files that submit one hold more
    than half of the weight of those that name the query. A file that lacks the query abstains.
    """
    depth = k if method == "borda" else max(1, *map(_longest, ballots))
    tables = [_table(ballot, queries, documents, depth) for ballot in ballots]
    rows, places = union([(table.nodes, table.scores) for table in tables])
    if method == "borda":
        votes = np.tensordot(np.asarray(weights, float), np.nan_to_num(places), axes=1)
        fused: Scores = np.where((rows >= 0) & (votes > 0), votes, np.nan)
    else:
        names = [str(number) for number in range(len(tables))]
        rules = {
            name: PartRule(weight=weight, normalise="rank")
            for name, weight in zip(names, weights, strict=True)
        }
        fused = fuse_scores(dict(zip(names, places, strict=True)), rows, rules)
    fused = np.where(_against(ballots, weights, queries)[:, None], np.nan, fused)
    columns, scores = best_first(fused, k)
    nodes = np.where(columns < 0, -1, np.take_along_axis(rows, np.maximum(columns, 0), axis=1))
    return Ranking(tuple(queries), tuple(documents), nodes.astype(np.int32), scores)


def _against(
    ballots: Sequence[Mapping[str, Sequence[str]]], weights: Sequence[float], queries: Sequence[str]
) -> NDArray[np.bool_]:
    """The queries whose answer is that no document is needed, [q]."""
    named = np.array([[query in ballot for query in queries] for ballot in ballots], dtype=float)
    empty = np.array([[not ballot.get(query) for query in queries] for ballot in ballots])
    held = np.asarray(weights, dtype=float)
    against: NDArray[np.bool_] = 2 * (held @ (named * empty)) > held @ named
    return against


def _longest(ballot: Mapping[str, Sequence[str]]) -> int:
    return max(map(len, ballot.values()), default=0)


def _table(
    ballot: Mapping[str, Sequence[str]],
    queries: Sequence[str],
    documents: Sequence[str],
    depth: int,
) -> Ranking:
    """A file as a ranking whose scores fall by one a place, from `depth` on."""
    votes = [float(depth - place) for place in range(depth)]
    results = {
        query: [*zip(ballot.get(query, ())[:depth], votes, strict=False)] for query in queries
    }
    return Ranking.from_lists(results, documents)
