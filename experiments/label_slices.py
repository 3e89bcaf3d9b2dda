"""Scores by what a reader said of the gold passages, and by the tags of the queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunk_quality.review_labels import load_labels
from experiments.atomic_file import atomic_file
from experiments.chunking import chunk, span_of
from experiments.schema import Dataset, Query, Span

if TYPE_CHECKING:
    import pandas as pd

    from experiments.metrics.per_query import PerQuery
    from experiments.splits import Split

GoldLabels = Mapping[str, Collection[str]]
"""Query id -> the labels of its gold passages."""

COLUMNS = (
    *("by", "slice", "split", "metric"),
    *("mean", "n_scored", "n_total", "rest_mean", "rest_n_scored", "rest_n_total"),
)
MOST_VALUES = 20
"""A tag with more values than this tells queries apart and does not sort them: it is left out."""


def gold_labels(
    path: str | Path | None, dataset: Dataset, chunker: Any = None
) -> dict[str, frozenset[str]]:
    """Query id -> the labels of its gold passages; queries without a reviewed one are left out.

    path: the CSV of a review (`load_labels`); "~" is the home folder. None has no labels.
    chunker: what made the chunks; needed where gold is labelled by spans.

    Where documents are labelled, a document carries the labels of all its reviewed chunks, and
    those of grade 1 or more count. Where spans are labelled, the chunks that hold some of a span's
    characters count. Raises ValueError: what `load_labels` raises, a chunk of another dataset or
    chunker, and a dataset without labels of relevance.
    """
    if path is None:
        return {}
    path = Path(path).expanduser()
    if dataset.spans is not None and chunker is not None:
        return _by_span(path, dataset, dataset.spans, chunker)
    if dataset.qrels is None:
        raise ValueError(f"{dataset.name} has no relevance labels to slice by: leave review out.")
    documents = _documents(path, dataset)
    said: dict[str, set[str]] = defaultdict(set)
    for name, labels in load_labels(path, documents).items():
        said[documents[name]].update(labels)
    gold = {
        query.id: [name for name, grade in dataset.qrels.get(query.id, {}).items() if grade > 0]
        for query in dataset.queries
    }
    return _said_of(gold, said)


def review_notes(
    path: str | Path | None, dataset: Dataset, said: Mapping[str, GoldLabels]
) -> list[str]:
    """For how many queries the review can say anything; said: pipeline -> `gold_labels`."""
    if path is None:
        return []
    counts = " or ".join(dict.fromkeys(str(len(gold)) for gold in said.values()))
    share = f"{counts} of {len(dataset.queries)} queries have a reviewed gold passage"
    if not any(labels for gold in said.values() for labels in gold.values()):
        return [f"{path}: {share}, so there is no slice by label."]
    return [f"{path}: {share}; slices.tsv has their scores. A slice of few queries says little."]


def label_slices(scores: PerQuery, split: Split, gold: GoldLabels) -> pd.DataFrame:
    """How each metric does on the queries whose gold passages carry a label, beside the rest.

    gold: query id -> labels (`gold_labels`).  The rest is every other query of the same split,
    those whose gold nobody reviewed included.

    One row a label, split and metric, with `COLUMNS`: `mean` over the slice with how many queries
    it covers, and the same of the rest. Only splits that may be shown are computed. A slice is left
    out where it or the rest has no scored query, so no mean is missing.
    """
    return _table(
        scores, split, ((("label", one), q) for q, labels in gold.items() for one in labels)
    )


def tag_slices(scores: PerQuery, split: Split, queries: Iterable[Query]) -> pd.DataFrame:
    """The same for each value of each tag of the queries; `by` is the tag, `slice` its value.

    Tags with more than 20 values are left out.
    """
    pairs = [((tag, value), query.id) for query in queries for tag, value in query.tags.items()]
    values: dict[str, set[str]] = defaultdict(set)
    for (tag, value), _ in pairs:
        values[tag].add(value)
    return _table(scores, split, (pair for pair in pairs if len(values[pair[0][0]]) <= MOST_VALUES))


def write_slices(
    folder: Path,
    scores: PerQuery | None,
    split: Split,
    dataset: Dataset,
    gold: GoldLabels,
) -> list[Path]:
    """Write slices.tsv, labels first; no file where nothing is scored or no slice stands."""
    if scores is None:
        return []
    import pandas as pd

    tables = [label_slices(scores, split, gold), tag_slices(scores, split, dataset.queries)]
    rows = pd.concat([table for table in tables if len(table)] or tables[:1])
    if not len(rows):
        return []
    with atomic_file(folder / "slices.tsv") as part:
        rows.to_csv(part, sep="\t", index=False, lineterminator="\n", encoding="utf-8")
    return [folder / "slices.tsv"]


def _table(
    scores: PerQuery, split: Split, pairs: Iterable[tuple[tuple[str, str], str]]
) -> pd.DataFrame:
    import pandas as pd

    members: dict[tuple[str, str], set[str]] = defaultdict(set)
    for pair, query in pairs:
        members[pair].add(query)
    rows = []
    for (by, name), queries in sorted(members.items()):
        for side in split.shown:
            inside = scores.mean([query for query in split.of(side) if query in queries])
            rest = scores.mean([query for query in split.of(side) if query not in queries])
            rows += [
                (
                    by,
                    name,
                    side,
                    metric,
                    *asdict(inside[metric]).values(),
                    *asdict(rest[metric]).values(),
                )
                for metric in scores.metrics
                if inside[metric].n_scored and rest[metric].n_scored
            ]
    return pd.DataFrame(rows, columns=[*COLUMNS])


def _by_span(
    path: Path, dataset: Dataset, spans: Mapping[str, Sequence[Span]], chunker: Any
) -> dict[str, frozenset[str]]:
    wanted = {*_documents(path, dataset).values()}
    chunks = chunk([document for document in dataset.corpus if document.id in wanted], chunker)
    places = {node.node_id: span_of(node) for node in chunks}
    said = load_labels(path, places)
    gold = {
        query.id: [
            name
            for name in said
            if any(_meet(places[name], span) for span in spans.get(query.id, ()))
        ]
        for query in dataset.queries
    }
    return _said_of(gold, said)


def _meet(one: Span, other: Span) -> bool:
    return one.document == other.document and one.start < other.end and other.start < one.end


def _said_of(
    gold: Mapping[str, Sequence[str]], said: Mapping[str, Collection[str]]
) -> dict[str, frozenset[str]]:
    reviewed = {query: [name for name in names if name in said] for query, names in gold.items()}
    return {
        query: frozenset(label for name in names for label in said[name])
        for query, names in reviewed.items()
        if names
    }


def _documents(path: Path, dataset: Dataset) -> dict[str, str]:
    """Each reviewed chunk whose document the dataset has, and that document."""
    known = {document.id for document in dataset.corpus}
    found = {name: _document(name, known) for name in load_labels(path)}
    return {name: document for name, document in found.items() if document is not None}


def _document(chunk_id: str, known: Collection[str]) -> str | None:
    """A document left whole is its own chunk; the others are called `document#ordinal`."""
    if chunk_id in known:
        return chunk_id
    head, _, ordinal = chunk_id.rpartition("#")
    return head if ordinal.isdecimal() and head in known else None
