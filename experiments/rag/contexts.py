"""The prompt of every query: chosen by budget, then ordered, then written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from llama_index.core.schema import BaseNode, MetadataMode

from experiments.postprocessing import through
from generation.evidence import OVER_BUDGET, Evidence, Selection
from retrievers.ranking import Ranking

if TYPE_CHECKING:
    from experiments.pipeline import Outcome
    from experiments.schema import Dataset, Query
    from generation.context import Assembled, ContextAssembler
    from postprocessors.base import BatchPostprocessor


def assemble_all(
    dataset: Dataset,
    outcome: Outcome,
    assembler: ContextAssembler,
    reorders: Sequence[BatchPostprocessor],
    provenance: Mapping[str, str],
) -> list[Assembled]:
    """One prompt a query, in the dataset's order; a blocked query's has no passages.

    The budget is spent by rank before anything is reordered, so an order changes no content.
    """
    passages = [_passage(node) for node in outcome.nodes]
    chosen = [assembler.choose(_ranked(row, passages)) for row in outcome.ranked.nodes]
    orders = _orders(chosen, outcome, reorders)
    return [
        assembler.assemble(
            query.id, question_text(query), selection, order=order, provenance=provenance
        )
        for query, selection, order in zip(dataset.queries, chosen, orders, strict=True)
    ]


def assembly_notes(
    assembled: Sequence[Assembled], budget: int, reorders: Sequence[BatchPostprocessor]
) -> list[str]:
    """What a reader should know of how the prompts were made.

    budget: of the assembler.  reorders: as they stand after `assemble_all`.
    """
    manifests = [one.manifest for one in assembled]
    empty = sum(
        not one.selected and any(left.reason == OVER_BUDGET for left in one.excluded)
        for one in manifests
    )
    said = [note for part in reorders for note in part.notes]
    if empty:
        said.append(
            f"{empty} of {len(manifests)} prompts show no passage, for none that was found fits "
            f"context.budget={budget}: raise it, or cut the documents with chunker=sentence."
        )
    return said


def question_text(query: Query) -> str:
    """The turn to answer; below its earlier turns, each with its speaker, where there are any."""
    if not query.history:
        return query.text
    turns = [f"{turn.role}: {turn.text}" for turn in query.history]
    return "\n".join([*turns, f"user: {query.text}"])


def passage_text(node: BaseNode) -> str:
    """What a model reads of a node: its text below the title of its document."""
    return node.get_content(metadata_mode=MetadataMode.LLM)


def _passage(node: BaseNode) -> Evidence:
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    return Evidence(
        id=node.node_id,
        document=node.ref_doc_id or node.node_id,
        text=passage_text(node),
        rank=0,
        start=-1 if start is None else start,
        end=-1 if end is None else end,
    )


def _ranked(row: np.ndarray, passages: Sequence[Evidence]) -> list[Evidence]:
    found = [passages[node] for node in row.tolist() if node >= 0]
    return [
        Evidence(one.id, one.document, one.text, rank, one.start, one.end)
        for rank, one in enumerate(found)
    ]


def _orders(
    chosen: Sequence[Selection], outcome: Outcome, reorders: Sequence[BatchPostprocessor]
) -> list[list[int]]:
    """For each query the places among what was chosen, as the model is to read them."""
    ranked = outcome.ranked
    width = max((len(one.chosen) for one in chosen), default=0)
    nodes = np.full((len(chosen), width), -1, dtype=np.int32)
    scores = np.full((len(chosen), width), np.nan)
    for row, selection in enumerate(chosen):
        ranks = [one.rank for one in selection.chosen]
        nodes[row, : len(ranks)] = ranked.nodes[row, ranks]
        scores[row, : len(ranks)] = ranked.scores[row, ranks]
    read = through(
        reorders,
        Ranking(ranked.query_ids, ranked.node_ids, nodes, scores),
        outcome.plans,
        outcome.nodes,
    )
    return [
        [places[node] for node in after.tolist() if node >= 0]
        for after, places in zip(read.nodes, map(_places, nodes.tolist()), strict=True)
    ]


def _places(row: list[int]) -> dict[int, int]:
    return {node: place for place, node in enumerate(row)}
