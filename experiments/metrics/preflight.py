"""Do the labels and the ranking speak of the same queries and documents? Asked before scoring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.grades import highest
from experiments.metrics.relevance import Labels, Relevance
from experiments.schema import Qrels, RankingMetric, Span
from retrievers.ranking import Ranking


def evaluation_set(
    ranking: Ranking, labelled: Mapping[str, Any], queries: Iterable[str] | None
) -> tuple[str, ...]:
    """The ids of the queries that count, each once.

    Raises ValueError for a repeated query, and where no label is about one of them.
    """
    chosen = [*dict.fromkeys((*ranking.query_ids, *labelled))] if queries is None else [*queries]
    if len(set(chosen)) != len(chosen):
        twice = next(query for query in chosen if chosen.count(query) > 1)
        raise ValueError(f'Query "{twice}" stands twice in the evaluation set: name it once.')
    if chosen and labelled and not any(query in labelled for query in chosen):
        raise ValueError(
            f"None of the {len(labelled)} labelled queries (such as {_first(labelled)}) is among "
            f"the {len(chosen)} queries to score (such as {_first(chosen)}): "
            f"give labels and queries the same ids."
        )
    known = set(ranking.query_ids)
    if known and labelled and not any(query in known and query in labelled for query in chosen):
        raise ValueError(
            f"The ranking answers no labelled query: it names {_first(ranking.query_ids)}, the "
            f"labels name {_first(labelled)}: give both the same query ids."
        )
    return tuple(chosen)


def aligned(ranking: Ranking, query_ids: tuple[str, ...]) -> tuple[Ranking, int]:
    """The ranking with one row a query, in this order, and how many queries it did not name."""
    if ranking.query_ids == query_ids:
        return ranking, 0
    places = {query: row for row, query in enumerate(ranking.query_ids)}
    rows = np.array([places.get(query, -1) for query in query_ids], dtype=np.intp)
    nodes = np.full((len(rows), ranking.depth), -1, dtype=np.int32)
    scores = np.full(nodes.shape, np.nan)
    known = rows >= 0
    nodes[known], scores[known] = ranking.nodes[rows[known]], ranking.scores[rows[known]]
    return Ranking(query_ids, ranking.node_ids, nodes, scores), int((~known).sum())


def missing_documents(labels: Labels, ranking: Ranking, qrels: Qrels, rel_level: int) -> int:
    """How many relevant labels name a document that the ranking could never return.

    Raises ValueError where all do, for then no retriever can score. A ranking without a single id
    (nothing was retrieved) is scored as it is.
    """
    relevant = labels.grade >= rel_level
    missing = int((relevant & (labels.node < 0)).sum())
    if missing and missing == relevant.sum() and ranking.node_ids:
        gold = next(
            name
            for query in ranking.query_ids
            for name, grade in qrels.get(query, {}).items()
            if grade >= rel_level
        )
        raise ValueError(
            f'None of the {missing} relevant labels (such as "{gold}") is about one of the '
            f"{len(ranking.node_ids)} ids that were searched (such as {_first(ranking.node_ids)}): "
            f"check that qrels and corpus use the same ids, both of documents or both of chunks."
        )
    return missing


def refuse_repeats(relevance: Relevance, ranking: Ranking) -> None:
    """Raises ValueError where a relevant result stands twice in a list: it would score above 1."""
    hits = relevance.graded
    nodes = ranking.nodes[hits.row, hits.rank - 1]
    found = np.sort(hits.row * len(ranking.node_ids) + nodes, kind="stable")
    twice = found[1:][np.diff(found) == 0]
    if twice.size:
        row, node = divmod(int(twice[0]), len(ranking.node_ids))
        raise ValueError(
            f'The results of query "{ranking.query_ids[row]}" hold "{ranking.node_ids[node]}" '
            f"twice: keep each document once (Ranking.from_lists does)."
        )


def own_scores(metric: RankingMetric, ranking: Ranking, qrels: Qrels) -> NDArray[np.float64]:
    """What a metric of one's own says of every query, NaN where it scores none.

    Raises ValueError where it gives no number a query, or an infinite one: no mean could hold it.
    """
    scores = np.asarray(metric(ranking, qrels), dtype=np.float64)
    if scores.shape != (len(ranking.query_ids),):
        raise ValueError(
            f"The metric {metric.name} gave scores of shape {scores.shape} for "
            f"{len(ranking.query_ids)} queries: let it give one number a query."
        )
    if np.isinf(scores).any():
        query = ranking.query_ids[int(np.isinf(scores).argmax())]
        raise ValueError(
            f'The metric {metric.name} gave an infinite score to query "{query}": let it give a '
            "finite one, or NaN where it cannot score."
        )
    return scores


def tied_queries(ranking: Ranking, qrels: Qrels, queries: Iterable[str]) -> int:
    """In how many of the queries results of one score have unequal labels, so that order counts."""
    labels = Labels.of(qrels, ranking.query_ids, ranking.node_ids)
    grades = np.maximum(labels.grades(ranking.nodes), 0)
    tied = ranking.scores[:, 1:] == ranking.scores[:, :-1]
    asked = np.isin(ranking.query_ids, [*queries])
    return int((asked & (tied & (grades[:, 1:] != grades[:, :-1])).any(axis=1)).sum())


def missing_spans(
    query_ids: Sequence[str], spans: Mapping[str, Sequence[Span]], chunks: Iterable[Span]
) -> int:
    """How many gold spans lie in a document that has no chunk.

    Raises ValueError where all do, and for a span without a character.
    """
    gold = [span for query in query_ids for span in spans.get(query, ())]
    empty = [span for span in gold if span.start >= span.end]
    if empty:
        raise ValueError(
            f"A gold span of document {_first([empty[0].document])} runs from character "
            f"{empty[0].start} to {empty[0].end}: its end must lie after its start."
        )
    documents = {chunk.document for chunk in chunks}
    missing = sum(span.document not in documents for span in gold)
    if missing and missing == len(gold) and documents:
        raise ValueError(
            f"None of the {missing} gold spans (such as one in {_first([gold[0].document])}) lies "
            f"in one of the {len(documents)} documents that were searched (such as "
            f"{_first(sorted(documents))}): check that labels and corpus use the same ids."
        )
    return missing


def notes(
    *, missing: int, absent: int, empty: int, queries: int, without_gold: int, zero: bool
) -> tuple[str, ...]:
    """What a reader of the means should know, one sentence each.

    absent: queries that the ranking does not name.  empty: those it names without a result.
    """
    spoken = []
    if missing:
        spoken.append(
            f"{missing} relevant labels are about no document of the corpus: never found."
        )
    if absent:
        spoken.append(f"{absent} queries of the evaluation set have no result: they score 0.")
    if empty:
        spoken.append(empty_lists(empty, queries))
    if without_gold:
        fate = (
            "they score their worst"
            if zero
            else "only map_comp and mrr_comp count them, an empty list as 1 (metrics=science_qa)"
        )
        spoken.append(f"{without_gold} queries have no relevant document: {fate}.")
    return tuple(spoken)


def empty_lists(empty: int, queries: int) -> str:
    """The note that so many of the queries have no result."""
    return (
        f"{empty} of {queries} queries have an empty list: nothing was found, or a gate held it "
        "back."
    )


def nothing_relevant(
    qrels: Qrels, query_ids: Sequence[str], n_relevant: NDArray[Any], rel_level: int
) -> tuple[str, ...]:
    """The note that these queries have labels and none of them counts; else nothing."""
    if n_relevant.any() or (top := highest(qrels, query_ids)) is None:
        return ()
    graded = "; nDCG alone still reads the grades, whatever the level" if top > 0 else ""
    return (f"No label counts as relevant (rel_level={rel_level}, highest grade {top}){graded}.",)


def _first(ids: Iterable[str]) -> str:
    return f'"{next(iter(ids))}"'
