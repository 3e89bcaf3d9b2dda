"""Multi-document question answering from a dataset of one's own and what a pipeline finds in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.position_lab.paper_lines import with_evidence
from experiments.position_lab.tasks import (
    NOT_FOUND,
    Passage,
    Task,
    TaskSet,
    check_count,
    filled,
)
from experiments.rag.contexts import passage_text, question_text
from experiments.rag.evidence_loss import required_documents

if TYPE_CHECKING:
    from experiments.pipeline import Outcome, Pipeline
    from experiments.schema import Query
    from experiments.setting import Setting


@dataclass(frozen=True, kw_only=True)
class DatasetTasks:
    """Questions with a reference answer and labels; the distractors are what is found wrongly.

    pipeline: its ranking gives the distractors, the highest first, as in Liu et al. (TACL 2024).
        What its gate or its postprocessors take away comes last, in the retriever's order, for
        the lab needs passages for every question.
    count: how many tasks at most, from the first query.  seed: of the order of the distractors.
    """

    pipeline: Pipeline
    count: int = 100
    seed: int = 0

    def load(self, setting: Setting, *, documents: int, evidence: int) -> TaskSet:
        """One task a query; the first chunk of a required document that is ranked is its evidence.

        Raises ValueError for a dataset without labels or without reference answers.
        """
        check_count(self.count)
        dataset = setting.dataset.load()
        required = required_documents(dataset, setting.metrics.rel_level)
        asked = [query for query in dataset.queries if query.answer and required.get(query.id)]
        if not asked:
            raise ValueError(
                f"{dataset.name} has no query with both a reference answer and a relevant "
                "document: the lab needs both; lab_task=key_value needs no dataset."
            )
        outcome = self.pipeline.run(dataset, setting.store)
        tasks = _tasks(asked[: self.count], required, outcome)
        fitting = with_evidence(tasks, evidence, dataset.name)
        done, short = filled(fitting, documents)
        notes = [*dataset.notes]
        if lost := len(tasks) - len(fitting):
            notes.append(f"{lost} of {len(tasks)} queries have too few relevant passages.")
        if short:
            notes.append(f"{short} of {len(done)} queries were filled up with others' passages.")
        return TaskSet(dataset.name, tuple(done), self.seed, tuple(notes), dataset)


def _tasks(
    queries: Sequence[Query], required: Mapping[str, set[str]], outcome: Outcome
) -> list[Task]:
    """Evidence: of each required document the chunk that is ranked best, else its first."""
    passages = [
        Passage(node.node_id, node.ref_doc_id or node.node_id, passage_text(node))
        for node in outcome.nodes
    ]
    first = {one.document: one for one in reversed(passages)}
    order = _ranked(outcome)
    tasks = []
    for query in queries:
        gold = required[query.id]
        nodes, kept = order[query.id]
        ranked = [passages[node] for node in nodes]
        best = {**first, **{one.document: one for one in reversed(ranked)}}
        evidence = sorted((best[name] for name in gold if name in best), key=_place(ranked))
        tasks.append(
            Task(
                query.id,
                question_text(query),
                ((query.answer or "",),),
                tuple(evidence),
                tuple(one for one in ranked if one.document not in gold),
                above=_above(evidence, ranked[:kept], gold),
                tags=query.tags,
            )
        )
    return tasks


def _ranked(outcome: Outcome) -> dict[str, tuple[list[int], int]]:
    """Query id -> its nodes as ranked, then those taken away; and how many were kept."""
    found = {}
    for row, query in enumerate(outcome.retrieved.query_ids):
        kept = [node for node in outcome.ranked.nodes[row].tolist() if node >= 0]
        all_nodes = dict.fromkeys([*kept, *outcome.retrieved.nodes[row].tolist()])
        found[query] = [node for node in all_nodes if node >= 0], len(kept)
    return found


def _place(ranked: Sequence[Passage]) -> Callable[[Passage], tuple[int, str]]:
    """Best first; what was not found comes last, by its id."""
    places = {one.id: place for place, one in enumerate(ranked)}
    return lambda one: (places.get(one.id, NOT_FOUND), one.id)


def _above(evidence: Sequence[Passage], ranked: Sequence[Passage], gold: set[str]) -> int:
    if not evidence or evidence[0] not in ranked:
        return NOT_FOUND
    before = ranked[: ranked.index(evidence[0])]
    return sum(one.document not in gold for one in before)
