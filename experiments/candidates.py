"""Rankings of nodes on disk, and what they say about documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retrievers.ranking import Ranking

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode


def document_ranking(ranking: Ranking, nodes: Sequence[BaseNode], depth: int) -> Ranking:
    """The first `depth` documents of each query, a document at the rank of its best chunk.

    nodes: in the order of `ranking.node_ids`. Scores are those of the best chunk.
    """
    names, owners = document_rows(nodes)
    documents = owners[ranking.nodes]
    places = _first_places(documents, depth)
    picked = np.take_along_axis(documents, np.maximum(places, 0), axis=1)
    scores = np.take_along_axis(ranking.scores, np.maximum(places, 0), axis=1)
    return Ranking(
        ranking.query_ids,
        names,
        np.where(places < 0, np.int32(-1), picked),
        np.where(places < 0, np.nan, scores),
    )


def document_rows(nodes: Sequence[BaseNode]) -> tuple[tuple[str, ...], np.ndarray]:
    """The documents in corpus order, and the row of each node's, int32 [n + 1].

    The last one is -1: indexed with -1, no node, it gives -1, no document.
    """
    owners = [node.ref_doc_id or node.node_id for node in nodes]
    rows = {document: row for row, document in enumerate(dict.fromkeys(owners))}
    return tuple(rows), np.array([rows[owner] for owner in owners] + [-1], dtype=np.int32)


def _first_places(documents: np.ndarray, depth: int) -> np.ndarray:
    """Columns where a document of the row stands for the first time, int [q, d], -1 at the end."""
    width = documents.shape[1]
    order = np.argsort(documents, axis=1, kind="stable")
    ordered = np.take_along_axis(documents, order, axis=1)
    new = np.ones_like(documents, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.zeros_like(new)
    np.put_along_axis(first, order, new, axis=1)
    first &= documents >= 0
    columns = np.where(first, np.arange(width), width)
    columns = np.sort(columns, axis=1)[:, :depth]
    kept = columns[:, : int((columns < width).sum(axis=1).max(initial=0))]
    return np.where(kept < width, kept, -1)


def with_rows(ranking: Ranking, rows: NDArray[np.intp], other: Ranking) -> Ranking:
    """The ranking with some of its queries' results replaced; query i of `other` is row rows[i].

    Both are over the same nodes and have the same parts; the deeper of the two sets the depth.
    """
    depth = max(ranking.depth, other.depth)

    def merged(old: NDArray[Any], new: NDArray[Any], nothing: float) -> NDArray[Any]:
        table = np.full((len(old), depth), nothing, dtype=old.dtype)
        table[:, : old.shape[1]] = old
        table[rows] = nothing
        table[rows, : new.shape[1]] = new
        return table

    return Ranking(
        ranking.query_ids,
        ranking.node_ids,
        merged(ranking.nodes, other.nodes, -1),
        merged(ranking.scores, other.scores, np.nan),
        {name: merged(table, other.parts[name], np.nan) for name, table in ranking.parts.items()},
    )


def save_ranking(ranking: Ranking, folder: Path) -> None:
    """Write a leaf's ranking; its node ids are those of the index it came from."""
    np.save(folder / "nodes.npy", ranking.nodes)
    np.save(folder / "scores.npy", ranking.scores)
    ids = json.dumps(list(ranking.query_ids), ensure_ascii=False)
    (folder / "queries.json").write_text(ids, encoding="utf-8")


def load_ranking(folder: Path, node_ids: tuple[str, ...], part: str) -> Ranking:
    """Read what `save_ranking` wrote, with its raw scores under the name of the part."""
    query_ids = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    scores = np.asarray(np.load(folder / "scores.npy", mmap_mode="r", allow_pickle=False))
    nodes = np.asarray(np.load(folder / "nodes.npy", mmap_mode="r", allow_pickle=False))
    return Ranking(tuple(query_ids), node_ids, nodes, scores, {part: scores})
