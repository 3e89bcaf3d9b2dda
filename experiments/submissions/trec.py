"""The TREC run format as a submission: one line a result, strictly falling scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from experiments.schema import Dataset
from experiments.submissions.base import Submission
from experiments.submissions.entries import Entry
from experiments.submissions.lines import Line, Problem
from experiments.submissions.rows import Parsed, Row
from experiments.trec_run import COLUMNS, column, run_lines


class TrecSubmission(Submission):
    """Lines of `query Q0 document rank score tag`; a query without results has none.

    The check is stricter than `read_run`: down the file each query's ranks rise by one (from 1 or
    from 0) and its scores fall strictly, so that every evaluator reads the same list.
    tag: the name of the run; blanks in it become "-".
    Ids are written as they stand, for a board knows no encoded ones: none may hold a blank.
    """

    filename = "submission.trec"
    every_query = False

    def __init__(self, path: str | None = None, *, k: int = 100, tag: str = "rankproof") -> None:
        super().__init__(path, k)
        self.tag = tag

    def render(self, entries: Sequence[Entry]) -> str:
        results = {entry.query: [found.document for found in entry.results] for entry in entries}
        return "".join(run_lines(results, self.tag))

    def parse(self, lines: Sequence[Line]) -> Parsed:
        rows: dict[str, Row] = {}
        last: dict[str, list[str]] = {}
        problems: list[Problem] = []
        tag = lines[0].text.split()[-1] if lines else ""
        for number, text in lines:
            columns = text.split()
            if len(columns) != 6:
                message = f"{len(columns)} columns where there must be 6: {COLUMNS}"
                problems.append(Problem(number, message))
                continue
            query, document = columns[0], columns[2]
            ids = rows.setdefault(query, Row(number, query, [])).ids
            ids.append((number, document))
            faults = _faults(columns, last.get(query), tag)
            problems += [Problem(number, message) for message in faults]
            last[query] = columns
        return Parsed(list(rows.values()), problems)

    def accepts(self, dataset: Dataset) -> None:
        column("-".join(self.tag.split()), "tag")
        for query in dataset.queries:
            column(query.id, "query id")
        for document in dataset.corpus:
            column(document.id, "document id")


def _faults(columns: Sequence[str], last: Sequence[str] | None, tag: str) -> Iterator[str]:
    """What is wrong with one result line, given the columns of the query's line before."""
    rank, score = _number(columns[3]), _number(columns[4])
    before = math.nan if last is None else _number(last[3])
    if columns[1] != "Q0":
        yield f"the second column is {columns[1]!r}, not 'Q0'"
    if not rank.is_integer():
        yield f"the rank {columns[3]!r} is not a whole number"
    elif last is None and rank not in (0, 1):
        yield f"the query's first rank is {columns[3]}, not 1"
    elif before.is_integer() and rank != before + 1:
        yield f"the rank is {columns[3]} after {before:.0f}; ranks rise by one"
    if not math.isfinite(score):
        yield f"the score {columns[4]!r} is not a finite number"
    elif last is not None and score >= _number(last[4]):
        yield f"the score {columns[4]} does not fall: the one before is {last[4]}"
    if columns[5] != tag:
        yield f"the tag is {columns[5]!r}, not {tag!r} as in the first line"


def _number(column: str) -> float:
    """The number a column holds, NaN where it holds none."""
    try:
        return float(column)
    except ValueError:
        return math.nan
