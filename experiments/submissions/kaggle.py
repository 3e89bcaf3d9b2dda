"""The usual Kaggle format: CSV with a header, one line a query, its document ids in one cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from experiments.schema import Dataset
from experiments.submissions.base import Submission
from experiments.submissions.entries import Entry
from experiments.submissions.lines import Line, Problem
from experiments.submissions.rows import Parsed, Row


class KaggleSubmission(Submission):
    """Two columns: the query's id, and its documents, best first, with `delimiter` between them.

    id_column, ids_column: the names in the header.
    empty: what stands for "no documents" (some boards refuse an empty cell).
    """

    filename = "submission.csv"

    def __init__(
        self,
        path: str | None = None,
        *,
        k: int = 3,
        id_column: str = "id",
        ids_column: str = "prediction",
        delimiter: str = " ",
        empty: str = "",
    ) -> None:
        super().__init__(path, k)
        if not delimiter:
            raise ValueError("submission.delimiter is empty; give the sign between two ids.")
        if id_column == ids_column:
            raise ValueError(
                f"submission.id_column and submission.ids_column are both {id_column}: "
                "give each column a name of its own."
            )
        self.id_column = id_column
        self.ids_column = ids_column
        self.delimiter = delimiter
        self.empty = empty
        self.query_name = id_column

    def render(self, entries: Sequence[Entry]) -> str:
        file = io.StringIO()
        table = csv.writer(file, lineterminator="\n")
        table.writerow([self.id_column, self.ids_column])
        for entry in entries:
            names = [self._name(result.document) for result in entry.results]
            table.writerow([_one_line(entry.query), self.delimiter.join(names) or self.empty])
        return file.getvalue()

    def parse(self, lines: Sequence[Line]) -> Parsed:
        rows: list[Row] = []
        problems: list[Problem] = []
        if lines:
            problems += self._header(lines[0])
        for line in lines[1:]:
            try:
                query, cell = _cells(line.text)
            except ValueError as error:
                problems.append(Problem(line.number, str(error)))
                continue
            rows.append(Row(line.number, query, [(line.number, name) for name in self._ids(cell)]))
        return Parsed(rows, problems)

    def accepts(self, dataset: Dataset) -> None:
        for query in dataset.queries:
            _one_line(query.id)
        for document in dataset.corpus:
            self._name(document.id)

    def _header(self, line: Line) -> list[Problem]:
        wanted = [self.id_column, self.ids_column]
        try:
            found = _cells(line.text)
        except ValueError as error:
            return [Problem(line.number, str(error))]
        message = f"the header is {','.join(found)}, not {','.join(wanted)}"
        return [] if found == wanted else [Problem(line.number, message)]

    def _ids(self, cell: str) -> list[str]:
        if cell == self.empty:
            return []
        return cell.split(None if self.delimiter == " " else self.delimiter)

    def _name(self, document: str) -> str:
        """The id, if it can be told from its neighbours in the cell."""
        if document == self.empty or self._ids(document) != [document]:
            raise ValueError(
                f"The document id {document!r} cannot stand in a list with {self.delimiter!r} "
                "between the ids; set submission.delimiter to another sign or rename the document."
            )
        return _one_line(document)


def _one_line(name: str) -> str:
    if not name.strip() or "\n" in name or "\r" in name:
        raise ValueError(f"The id {name!r} cannot stand in a line of a CSV file; rename it.")
    return name


def _cells(text: str) -> list[str]:
    """The two cells of a line. Raises ValueError with the problem in words."""
    try:
        cells = next(csv.reader([text], strict=True))
    except csv.Error as error:
        raise ValueError(f"bad CSV: {error}") from None
    if len(cells) != 2:
        raise ValueError(f"{len(cells)} columns where there must be 2")
    return cells
