"""What a test says of a check."""

from pathlib import Path

from experiments.submissions.base import Submission
from experiments.submissions.rows import Checked


def check(submission: Submission, dataset, folder: Path, content: str | bytes) -> Checked:
    path = folder / "foreign.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return submission.check(path, dataset)


def found(checked: Checked, line: int | None) -> str:
    """The messages of one line, together; "" where there is none."""
    return "; ".join(problem.message for problem in checked.problems if problem.line == line)
