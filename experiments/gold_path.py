"""How far each gold passage came through a pipeline, and the stage that lost it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.candidates import document_ranking, document_rows
from experiments.chunking import span_of

if TYPE_CHECKING:
    from experiments.pipeline import Outcome
    from experiments.schema import Dataset
    from retrievers.ranking import Ranking

NOT_IN_CORPUS = "not in the corpus"
NOT_IN_CHUNK = "not in a chunk"
NOT_RETRIEVED = "not retrieved"
BLOCKED = "blocked by the gate"
BELOW = "below the depth"
RERANKED_OUT = "reranked out"
CUT = "cut"
OVER_BUDGET = "dropped by the token budget"
UNUSED = "in the context, not used by the answer"
UNTOLD = "not in the ranking"
KEPT = "kept"
STAGES = (
    *(NOT_IN_CORPUS, NOT_IN_CHUNK, NOT_RETRIEVED, UNTOLD, BLOCKED, BELOW, RERANKED_OUT, CUT),
    *(OVER_BUDGET, UNUSED, KEPT),
)
"""In the order of the pipeline. UNTOLD: a foreign ranking does not say where it lost a passage."""

UNKNOWN = -1
LEFT_OUT, DROPPED, SHOWN = 0, 1, 2
"""What a prompt did with a passage: did not come to it, had no room for it, shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPaths:
    """One entry a gold passage; -1 is "nobody knows".

    query: the question.  gold: the document's id; "id[start:end]" where spans are labelled.
    in_corpus, in_chunk, blocked: 1 = yes, 0 = no.
    retrieved, ranked, final: the rank (1 = best) after the first retrieval, after the
        postprocessors and in what is scored; 0 = not there. Documents are counted, or chunks where
        spans are labelled.
    prompt: LEFT_OUT, DROPPED or SHOWN.  used: 1 where the answer cites it.
    """

    query: tuple[str, ...]
    gold: tuple[str, ...]
    in_corpus: tuple[int, ...]
    in_chunk: tuple[int, ...]
    retrieved: tuple[int, ...]
    blocked: tuple[int, ...]
    ranked: tuple[int, ...]
    final: tuple[int, ...]
    prompt: tuple[int, ...]
    used: tuple[int, ...]

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[Any]]) -> GoldPaths:
        """From one row a passage, in the order of the fields."""
        names = [column.name for column in fields(cls)]
        columns = [*zip(*rows, strict=True)] or [()] * len(names)
        return cls(**dict(zip(names, columns, strict=True)))

    @classmethod
    def from_json(cls, value: Mapping[str, Sequence[Any]]) -> GoldPaths:
        """What `to_json` made."""
        return cls(**{name: tuple(column) for name, column in value.items()})

    def to_json(self) -> dict[str, Any]:
        """The columns as JSON holds them."""
        return asdict(self)

    def stages(self, k: int) -> list[str]:
        """The stage that lost each passage, KEPT where none did.

        k: how many results are read: a passage below that is lost. Where there is a prompt, it
            decides what is read.
        """
        at = {
            name: np.asarray(getattr(self, name), dtype=np.int64)
            for name in ("in_corpus", "in_chunk", "retrieved", "blocked", "ranked", "final")
        }
        prompt, used = np.asarray(self.prompt, int), np.asarray(self.used, int)
        top = (at["final"] > 0) & (at["final"] <= k)
        reached = (at["retrieved"] > 0) & (at["retrieved"] <= k)
        fell = (at["final"] == 0) | (at["final"] > at["retrieved"])
        rules = {
            NOT_IN_CORPUS: at["in_corpus"] == 0,
            NOT_IN_CHUNK: at["in_chunk"] == 0,
            NOT_RETRIEVED: at["retrieved"] == 0,
            BLOCKED: at["blocked"] == 1,
            UNTOLD: (at["retrieved"] == UNKNOWN) & (at["final"] == 0),
            CUT: at["ranked"] == 0,
            UNUSED: (prompt == SHOWN) & (used == 0),
            OVER_BUDGET: prompt == DROPPED,
            KEPT: (prompt == SHOWN) | (top & (prompt == UNKNOWN)),
            RERANKED_OUT: reached & fell,
        }
        return [str(name) for name in np.select([*rules.values()], [*rules], default=BELOW)]


def gold_paths(outcome: Outcome, dataset: Dataset, query_ids: Sequence[str]) -> GoldPaths | None:
    """Where the gold passages of these queries stand after each stage; None without labels.

    Grades from 1 count. Of a span, each chunk that holds half of it or more counts.
    """
    if dataset.spans is None and dataset.qrels is None:
        return None
    corpus = {document.id for document in dataset.corpus}
    chunks = (
        _chunks_of_spans(outcome) if dataset.spans is not None else _chunks_of_documents(outcome)
    )
    tables = _tables(outcome, spans=dataset.spans is not None)
    rows = {query: row for row, query in enumerate(outcome.retrieved.query_ids)}
    found = []
    for query, gold, (document, start, end) in _gold(dataset, query_ids):
        accepted = chunks(document, start, end)
        row = rows.get(query)
        ranks = [0 if row is None else _rank(table, row, accepted) for table in tables]
        blocked = int(row is not None and outcome.gate.blocked[row])
        entry = (query, gold, int(document in corpus), int(accepted.size > 0))
        found.append((*entry, ranks[0], blocked, *ranks[1:], UNKNOWN, UNKNOWN))
    return GoldPaths.of_rows(found)


def _gold(
    dataset: Dataset, query_ids: Sequence[str]
) -> Iterable[tuple[str, str, tuple[str, int, int]]]:
    for query in query_ids:
        if dataset.spans is not None:
            for span in dict.fromkeys(dataset.spans.get(query, ())):
                place = (span.document, span.start, span.end)
                yield query, f"{span.document}[{span.start}:{span.end}]", place
        else:
            for document, grade in (dataset.qrels or {}).get(query, {}).items():
                if grade > 0:
                    yield query, document, (document, 0, 0)


def _tables(outcome: Outcome, *, spans: bool) -> list[Ranking]:
    """What was retrieved, ranked and scored, in the units that are labelled."""
    if spans:
        return [outcome.retrieved, outcome.ranked, outcome.ranked]
    both = [outcome.retrieved, outcome.ranked]
    return [*(document_ranking(one, outcome.nodes, one.depth) for one in both), outcome.ranking]


def _chunks_of_documents(outcome: Outcome) -> Any:
    """A document's row among the documents that have a chunk."""
    rows = {name: row for row, name in enumerate(document_rows(outcome.nodes)[0])}

    def accepted(document: str, start: int, end: int) -> NDArray[np.int32]:
        return np.array([rows[document]] if document in rows else [], dtype=np.int32)

    return accepted


def _chunks_of_spans(outcome: Outcome) -> Any:
    """The rows of the chunks that hold half of a span or more."""
    places: dict[str, list[tuple[int, int, int]]] = {}
    for row, node in enumerate(outcome.nodes):
        span = span_of(node)
        places.setdefault(span.document, []).append((row, span.start, span.end))

    def accepted(document: str, start: int, end: int) -> NDArray[np.int32]:
        near = np.array(places.get(document, []), dtype=np.int64).reshape(-1, 3)
        held = np.minimum(near[:, 2], end) - np.maximum(near[:, 1], start)
        rows: NDArray[np.int32] = near[2 * held >= end - start, 0].astype(np.int32)
        return rows

    return accepted


def _rank(table: Ranking, row: int, accepted: NDArray[np.int32]) -> int:
    hits = np.flatnonzero(np.isin(table.nodes[row], accepted))
    return int(hits[0]) + 1 if hits.size else 0
