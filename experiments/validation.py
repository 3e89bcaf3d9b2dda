"""Is this submission file valid, and if not, what is wrong with it in which line?"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.schema import Dataset, Report
from experiments.submissions.base import Submission
from experiments.submissions.rows import Checked

SHOWN = 50
PIPED_WIDTH = 200
"""Columns of the table where no terminal sets them."""


class DatasetLoader(Protocol):
    """Where the evaluation file and the corpus come from."""

    def load(self) -> Dataset: ...


class ValidateSubmission:
    """Check any submission file, a foreign one too, against the queries and the corpus.

    dataset: the evaluation file and the corpus.
    submission: the format, with the path of the file.
    """

    def __init__(self, dataset: DatasetLoader, *, submission: Submission | None) -> None:
        self.dataset = dataset
        self.submission = submission

    def run(self) -> Report:
        """Print every problem by line, or that there is none.

        Raises ValueError where the file has a problem, or where no file or format was given.
        """
        if self.submission is None:
            raise ValueError("Give the format of the file: submission=science_qa, kaggle or trec.")
        if self.submission.path is None:
            raise ValueError("Give the file to check: submission.path=FILE.")
        path = Path(self.submission.path)
        checked = self.submission.check(path, self.dataset.load())
        _show(checked, path)
        if checked.problems:
            raise ValueError(f"{path} is {checked.summary}; mend what the table lists.")
        return Report()


def _show(checked: Checked, path: Path) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    if checked.problems:
        console.print(_table(checked, path))
        left = len(checked.problems) - SHOWN
        if left > 0:
            console.print(f"… and {left} more.")
    for note in checked.notes:
        console.print(f"Note: {note}", markup=False, soft_wrap=True)
    if not checked.problems:
        console.print(f"{path} is {checked.summary}.", markup=False, soft_wrap=True)


def _table(checked: Checked, path: Path) -> Table:
    table = Table(title=Text(str(path)))
    table.add_column("line", justify="right")
    table.add_column("problem", overflow="fold")
    for line, message in checked.problems[:SHOWN]:
        table.add_row("file" if line is None else str(line), Text(message))
    return table
