"""The nouns of an experiment. This page imports no heavy library when it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from retrievers.ranking import Ranking

Qrels = Mapping[str, Mapping[str, int]]
"""Query id -> document id -> grade; 0 = judged and not relevant."""

SPLITS = ("all", "public", "private")


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the corpus: its text as the file has it (NFC is up to the analyzers)."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier turn of a conversation; role is "user" or "assistant"."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """One message to answer.

    text: the turn to answer.  history: the turns before it, oldest first.
    answer: a reference answer, None where the dataset has none.
    tags: turns, source, ...: what splits stratify by and tables slice by.
    """

    id: str
    text: str
    history: tuple[Turn, ...] = ()
    answer: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of a document's text."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Target:
    """The questions that a labelled set stands for, over the same corpus: those of the users."""

    name: str
    queries: Sequence[Query]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A corpus with questions, and labels where there are any.

    qrels: None where nothing is labelled: scores are skipped, with a word why. A query that
        `qrels` does not name is a labelled query without a relevant document.
    spans: query id -> the gold spans, for sets labelled by characters; None elsewhere.
    notes: one sentence for each thing that loading left out or mended, with its count.
    fingerprint: sha256 over documents, queries and labels, in their order.
    corpus_fingerprint: sha256 over the documents alone, which chunks and indexes depend on; ""
        where nobody made one: then they depend on all.
    circular: what wrote the questions: a model's name or modules of retrievers that work as it
        does; empty for real questions.
    target: what the questions stand for; None where nobody says it.
    pooled: the labels come from a pool of runs, so what no run pooled was never judged.
    unjudged: queries of which nothing that was pooled was judged: nobody knows what is relevant
        to them, so they are on no side of a split and count in no score.
    """

    name: str
    corpus: Sequence[Document]
    queries: Sequence[Query]
    qrels: Qrels | None
    fingerprint: str
    spans: Mapping[str, Sequence[Span]] | None = None
    notes: tuple[str, ...] = ()
    corpus_fingerprint: str = ""
    circular: tuple[str, ...] = ()
    target: Target | None = None
    pooled: bool = False
    unjudged: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean that says how many queries it covers; None when none was scored."""

    mean: float | None
    n_scored: int
    n_total: int


@dataclass(frozen=True, slots=True)
class Report:
    """What an experiment hands back.

    primary: public mean of the first metric of the last pipeline, None without labels.
    metric: the name of that metric, and which way is better.
    means: pipeline -> split -> metric -> mean.
    per_query: pipeline -> one row a query, one column a metric; NaN where not scored.
    folder: where the run wrote its files; None when it writes none.
    stored: every pipeline had been run before, so nothing was computed.
    """

    primary: float | None = None
    metric: str | None = None
    higher_is_better: bool = True
    means: Mapping[str, Mapping[str, Mapping[str, Mean]]] = field(default_factory=dict)
    per_query: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    folder: Path | None = None
    stored: bool = False


class RankingMetric(Protocol):
    """One score a query, read from positions alone."""

    @property
    def name(self) -> str: ...

    @property
    def higher_is_better(self) -> bool: ...

    def __call__(self, ranking: Ranking, qrels: Qrels) -> NDArray[np.float64]:
        """Scores [q] in the ranking's query order, NaN where the query cannot be scored."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """All that one run leaves with a tracker.

    name: what people read in the list of runs: what was varied.
    group: what it is listed under; the dataset's name where nothing else is said.
    parent: the id of the run that holds this one.
    started, ended: seconds since the epoch.
    scores: split -> metric -> mean.  measures: further numbers, all finite.
    files: what is kept with the run.
    failure: why it failed; None where it did not.
    """

    name: str
    experiment: str
    dataset: Dataset | None
    started: float
    ended: float
    group: str | None = None
    parent: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, Mean]] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    files: Sequence[Path] = ()
    failure: str | None = None


class Tracker(Protocol):
    """Where runs are written down for people to compare."""

    def log(self, record: RunRecord) -> str | None:
        """Write one finished run and return its id; None where nothing is tracked."""
        ...

    def open(self, record: RunRecord) -> str | None:
        """Begin a run that others are to stand under and return its id."""
        ...

    def close(self, run: str | None, record: RunRecord) -> None:
        """Write what an open run turned out to be, and end it."""
        ...


class Experiment(Protocol):
    """Building one is free; `run` does the work."""

    def run(self) -> Report: ...
