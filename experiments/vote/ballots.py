"""The files that vote: read as far as they can be read, with what is wrong by line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.submissions.kaggle import KaggleSubmission
from experiments.submissions.lines import Line, Problem, read_lines
from experiments.submissions.rows import Parsed, Row
from experiments.submissions.science_qa import ScienceQASubmission
from experiments.trec_run import COLUMNS, encoded
from retrievers.ranking import Ranking

if TYPE_CHECKING:
    from experiments.schema import Dataset

VOTE = "vote"
"""What the vote is called in tables, beside the files."""
_DEEPEST = 1 << 30


@dataclass(frozen=True, slots=True)
class Ballot:
    """What one file votes for.

    name: what it is called in tables.
    results: query id -> document ids, best first, each once; none where the file says that no
        document is needed. A query whose line cannot be read, or names strangers alone, is left
        out: it is no vote for "no document".
    problems: what could not be read, by line; the rest votes.
    sha256: of the file's bytes, as hex digits.
    """

    name: str
    path: Path
    sha256: str
    results: dict[str, list[str]]
    problems: tuple[Problem, ...]

    def faults(self, most: int = 3, rest: str = "more such lines are left out") -> list[str]:
        """A line for each of the first `most` problems; `rest` says what became of the others."""
        told = [f"{self.path}, {problem}" for problem in self.problems[:most]]
        left = len(self.problems) - len(told)
        return [*told, f"{self.path}: {left} {rest}."] if left else told

    def ranking(self, dataset: Dataset) -> Ranking:
        """What the file names, for all queries of the dataset over all its documents."""
        lists = {query.id: self.results.get(query.id, []) for query in dataset.queries}
        return Ranking.from_lists(lists, [document.id for document in dataset.corpus])


def read_ballots(paths: Sequence[str], dataset: Dataset) -> list[Ballot]:
    """One a file, in their order: science_qa JSON lines, Kaggle CSV or a TREC run, told by content.

    Raises ValueError for a file that is not there, and one of which no line is about this dataset.
    """
    files = [Path(str(path)).expanduser() for path in paths]
    names = _names(files)
    queries = _spellings([query.id for query in dataset.queries])
    corpus = _spellings([document.id for document in dataset.corpus])
    ballots = [
        _ballot(name, file, queries, corpus) for name, file in zip(names, files, strict=True)
    ]
    for one in ballots:
        if not one.results:
            first = f": {one.problems[0]}" if one.problems else ""
            raise ValueError(f"{one.path} has no line that {dataset.name} can use{first}.")
    return ballots


def alike(ballots: Sequence[Ballot]) -> list[str]:
    """One sentence for each file that says what an earlier one says."""
    return [
        f"{other.path} says what {one.path} does: their weights add up."
        for place, other in enumerate(ballots)
        for one in ballots[:place]
        if one.results == other.results
    ]


def _names(files: Sequence[Path]) -> list[str]:
    """Their names without the ending, their folders', or both; with a number if all that repeats.

    None is `VOTE`.
    """
    homes = [file.absolute().parent for file in files]
    for names in (
        [file.stem for file in files],
        [home.name for home in homes],
        [f"{home.parent.name}/{home.name}" for home in homes],
    ):
        if len({*names, VOTE}) == len(names) + 1:
            return names
    return [f"{number} {file.stem}" for number, file in enumerate(files, 1)]


def _ballot(name: str, path: Path, queries: Mapping[str, str], corpus: Mapping[str, str]) -> Ballot:
    """queries, corpus: an id as a file may write it -> the id."""
    file = read_lines(path)
    parsed = _parser(file.lines)(file.lines)
    results: dict[str, list[str]] = {}
    problems = [*file.problems, *parsed.problems]
    for row in parsed.rows:
        query = queries.get(row.query or "")
        if query is None:
            what = (
                "the line names no query" if row.query is None else f"query {row.query} is not here"
            )
            problems.append(Problem(row.line, what))
        elif query in results:
            problems.append(
                Problem(row.line, f"query {row.query} is repeated; the first row votes")
            )
        elif row.told:
            voted = _voted(row, corpus, problems)
            if voted or not row.ids:
                results[query] = voted
    ordered = sorted(problems, key=lambda problem: problem.line or 0)
    mark = hashlib.sha256(path.read_bytes()).hexdigest()
    return Ballot(name, path, mark, results, tuple(dict.fromkeys(ordered)))


def _spellings(ids: Sequence[str]) -> dict[str, str]:
    """An id as a file may write it -> the id: a run encodes its blanks."""
    return {encoded(one): one for one in ids} | {one: one for one in ids}


def _voted(row: Row, corpus: Mapping[str, str], problems: list[Problem]) -> list[str]:
    """The ids of a row that can be voted for, each at its first place."""
    kept: dict[str, None] = {}
    for line, given in row.ids:
        name = corpus.get(given)
        if name is None:
            problems.append(Problem(line, f"document id {given!r} is not in the corpus"))
        elif name in kept:
            problems.append(Problem(line, f"document id {given!r} is repeated"))
        else:
            kept[name] = None
    return [*kept]


def _parser(lines: Sequence[Line]) -> Callable[[Sequence[Line]], Parsed]:
    """The format that most of the first lines have."""
    head = [line.text for line in lines[:20]]
    if 2 * sum(text.lstrip().startswith("{") for text in head) > len(head):
        return ScienceQASubmission(k=_DEEPEST).parse
    if 2 * sum(len(text.split()) >= 6 and "," not in text for text in head) > len(head):
        return _run
    columns = [name.strip() for name in head[0].split(",")] if head else []
    if len(columns) == 2:
        return KaggleSubmission(k=_DEEPEST, id_column=columns[0], ids_column=columns[1]).parse
    return ScienceQASubmission(k=_DEEPEST).parse


def _run(lines: Sequence[Line]) -> Parsed:
    """A TREC run by its scores, ties by rank, as `read_run` orders it; bad lines are told."""
    found: dict[str, list[tuple[float, float, int, str]]] = {}
    problems = []
    for number, text in lines:
        columns = text.split()
        numbers = _numbers(columns[3:5]) if len(columns) >= 6 else None
        if numbers is None:
            problems.append(Problem(number, f"no line of a TREC run: the columns are {COLUMNS}"))
        else:
            rank, score = numbers
            found.setdefault(columns[0], []).append((-score, rank, number, columns[2]))
    rows = [
        Row(places[0][2], query, [(number, name) for *_, number, name in sorted(places)])
        for query, places in found.items()
    ]
    return Parsed(rows, problems)


def _numbers(columns: Iterable[str]) -> tuple[float, float] | None:
    try:
        rank, score = (float(column) for column in columns)
    except ValueError:
        return None
    return (rank, score) if abs(rank) + abs(score) < float("inf") else None
