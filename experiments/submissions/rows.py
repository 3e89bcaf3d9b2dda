"""What a submission file says, whatever its format, and the rules that hold for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from experiments.schema import Dataset
from experiments.submissions.lines import Problem


class Row(NamedTuple):
    """What a file submits for one query, with the lines where it says so.

    query: None where the line does not tell.
    ids: (line, document id), best first.
    told: whether the line could be read as a list of documents, an empty one perhaps.
    """

    line: int
    query: str | None
    ids: list[tuple[int, str]]
    told: bool = True


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of a file, the problems of their form, and notes."""

    rows: Sequence[Row]
    problems: Sequence[Problem]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found. A file without problems is valid.

    problems: all of them, by line; those of the file as a whole stand last.
    notes: what is allowed and yet worth knowing, one sentence each.
    rows, empty, ids: how many rows the file has, how many of them name no document, and how many
        documents they name together.
    """

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    rows: int
    empty: int
    ids: int

    @property
    def summary(self) -> str:
        """Valid or not, and how much the file holds."""
        held = f"{self.rows} rows, {self.empty} of them without a document, {self.ids} document ids"
        if not self.problems:
            return f"valid ({held})"
        count = len(self.problems)
        number = "1 problem" if count == 1 else f"{count} problems, first"
        return f"not valid ({held}); {number}: {self.problems[0]}"


def row_problems(rows: Sequence[Row], k: int, query_name: str) -> Iterator[Problem]:
    """Repeated queries, repeated documents within a row, and more than k documents."""
    first: dict[str, int] = {}
    for line, query, ids, _ in rows:
        if query is not None and first.setdefault(query, line) != line:
            message = f"{query_name} {query} is repeated; it stands first in line {first[query]}"
            yield Problem(line, message)
        if len(ids) > k:
            yield Problem(ids[k][0], f"{len(ids)} document ids where at most {k} are allowed")
        seen: set[str] = set()
        for place, name in ids:
            if name in seen:
                yield Problem(place, f"document id {name!r} is repeated")
            seen.add(name)


def unknown_ids(rows: Sequence[Row], dataset: Dataset, query_name: str) -> Iterator[Problem]:
    """Queries that the evaluation file does not have, documents that the corpus does not have."""
    queries = {query.id for query in dataset.queries}
    corpus = {document.id for document in dataset.corpus}
    for line, query, ids, _ in rows:
        if query is not None and query not in queries:
            yield Problem(line, f"{query_name} {query} is not in the evaluation file")
        for place, name in ids:
            if name not in corpus:
                yield Problem(place, f"document id {name!r} is not in the corpus")
