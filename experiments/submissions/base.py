"""The shape of a submission format: written from a ranking, checked as any foreign file is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from experiments.atomic_file import atomic_file
from experiments.schema import Dataset
from experiments.submissions.entries import Entry, submitted
from experiments.submissions.lines import Line, Problem, read_lines
from experiments.submissions.rows import Checked, Parsed, row_problems, unknown_ids
from retrievers.ranking import Ranking


class Submission(ABC):
    """One file format of a competition. A new one is a subclass with its three abstract methods.

    filename: its name in the folder of a run.
    query_name: what the format calls the id of a query.
    every_query: a query without a row is an error; else it means "no results".
    """

    filename: ClassVar[str]
    query_name: str = "query"
    every_query: ClassVar[bool] = True

    def __init__(self, path: str | None, k: int) -> None:
        """path: the file to write or to check.  k: the most documents a query may name."""
        if k < 1:
            raise ValueError(f"submission.k is {k}; give 1 or more.")
        self.path = path
        self.k = k

    @abstractmethod
    def render(self, entries: Sequence[Entry]) -> str:
        """The whole file. Raises ValueError for an id that the format cannot hold."""

    @abstractmethod
    def parse(self, lines: Sequence[Line]) -> Parsed:
        """What the lines of a file submit, and what is wrong with their form."""

    @abstractmethod
    def accepts(self, dataset: Dataset) -> None:
        """Asked before any work. Raises ValueError for an id that the format cannot hold."""

    def write(
        self,
        folder: Path,
        dataset: Dataset,
        ranking: Ranking,
        *,
        asked: Mapping[str, str] | None = None,
        answers: Mapping[str, str] | None = None,
    ) -> Path:
        """Write the k best documents of every query; the file gets its name once it is checked.

        ranking: over document ids. A query of the dataset that it lacks has no results.
        asked: query id -> the standalone query that was searched (default: the query's text).
        answers: query id -> the answer that was generated (default: an empty one).
        The same input gives the same bytes. Raises ValueError where the file would not be valid:
        none is left then, and an older one stays as it was.
        """
        path = Path(self.path) if self.path else Path(folder) / self.filename
        content = self.render(submitted(dataset, ranking.head(self.k), asked or {}, answers or {}))
        with atomic_file(path) as part:
            # A lone surrogate has no UTF-8 form; as an escape it is legal JSON.
            part.write_bytes(content.encode("utf-8", "backslashreplace"))
            checked = self.check(part, dataset)
            if checked.problems:
                raise ValueError(f"{path} was not written, it would be {checked.summary}.")
        return path

    def check(self, path: Path, dataset: Dataset) -> Checked:
        """Every problem of a file, its own or a foreign one, against the queries and the corpus.

        Only what stands in the file counts, not how the file is named.
        Raises ValueError where there is no such file.
        """
        file = read_lines(path)
        parsed = self.parse(file.lines)
        named = {row.query for row in parsed.rows}
        missing = [query.id for query in dataset.queries if query.id not in named]
        if not (file.lines and self.every_query):
            missing = []
        problems = [
            *file.problems,
            *parsed.problems,
            *row_problems(parsed.rows, self.k, self.query_name),
            *unknown_ids(parsed.rows, dataset, self.query_name),
            *(Problem(None, f"{self.query_name} {query} is missing") for query in missing),
        ]
        sizes = [len(row.ids) for row in parsed.rows]
        nothing = ("No row names a document.",) if sizes and not any(sizes) else ()
        return Checked(
            tuple(sorted(problems, key=lambda problem: problem.line or math.inf)),
            (*file.notes, *parsed.notes, *nothing),
            rows=len(sizes),
            empty=sizes.count(0),
            ids=sum(sizes),
        )
