"""Label files: which there are, and what they say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.datasets.lines import Line, read_lines
from experiments.metrics.grades import GREATEST

WHOLE = "qrels"
"""The name of label files that cover the whole set; any other name is a split's."""

_GRADE = re.compile(r"[+-]?0*([0-9]+)")
_DIGITS = len(str(GREATEST))
_HEADERS = {"query-id", "query_id", "queryid", "qid", "query", "topic", "eval_id"}


@dataclass(frozen=True, slots=True)
class Label:
    """One row of a label file."""

    line: Line
    query: str
    document: str
    grade: int


def label_files(folder: Path) -> Mapping[str, Path]:
    """Name -> label file, sorted: qrels.tsv or .txt, qrels.train.tsv, qrels/train.tsv, ...

    Raises ValueError: two files of one name.
    """
    found = [
        *folder.glob("qrels*.tsv"),
        *folder.glob("qrels*.txt"),
        *(folder / "qrels").glob("*.tsv"),
        *(folder / "qrels").glob("*.txt"),
    ]
    files: dict[str, Path] = {}
    for path in found:
        if files.setdefault(_split_name(path), path) != path:
            both = f"{files[_split_name(path)]} and {path}"
            raise ValueError(f"{both} are two label files of one name: remove or rename one.")
    return dict(sorted(files.items()))


def chosen_labels(folder: Path, labels: str | None) -> tuple[str, Path] | None:
    """Name and path of the label file to read; None where the folder has none.

    labels: a name of `label_files`; None takes the only one there is.
    Raises ValueError: the named one is missing, or there are several and none is named.
    """
    files = label_files(folder)
    names = ", ".join(files) or "none"
    if labels is not None:
        if str(labels) not in files:
            raise ValueError(f"dataset.labels={labels} is not in {folder}; label files: {names}.")
        return str(labels), files[str(labels)]
    if len(files) > 1:
        example = f"dataset.labels={next(iter(files))}"
        raise ValueError(f"{folder} has several label files ({names}): choose one, {example}.")
    return next(iter(files.items()), None)


def read_labels(path: Path, notes: list[str]) -> list[Label]:
    """The rows of a label file, a repeated identical row once.

    Columns are separated by a tab, else by blanks: query, document, grade; or TREC's query,
    iteration, document, grade. A first row whose grade is no number at all is a header; one that
    does not begin with "query-id" (or qid, ...) is noted, for it might be a label.
    Raises ValueError: what `read_lines` raises; another number of columns, a grade that is not
    a whole number or too large, two grades for the same pair, no row.
    """
    lines = read_lines(path, notes)
    labels = [_label(line) for line in lines[_header(lines[0], notes) :]]
    if not labels:
        raise ValueError(f"{path} holds no label below its header.")
    unique: dict[tuple[str, str], Label] = {}
    for label in labels:
        first = unique.setdefault((label.query, label.document), label)
        if first.grade != label.grade:
            raise label.line.error(
                f'query "{label.query}" and document "{label.document}" get the grade '
                f"{label.grade} here and {first.grade} on line {first.line.number}."
            )
    if len(unique) < len(labels):
        notes.append(f"{path.name}: repeated rows passed over: {len(labels) - len(unique)}.")
    return list(unique.values())


def _split_name(path: Path) -> str:
    return re.sub(rf"^{WHOLE}[._-]", "", path.stem)


def _columns(line: Line) -> list[str]:
    text = line.text.strip("\t ")
    columns = text.split("\t")
    return columns if len(columns) in (3, 4) else re.split(r"[\t ]+", text)


def _header(line: Line, notes: list[str]) -> int:
    """How many rows the header takes: 1 or 0."""
    columns = _columns(line)
    if len(columns) not in (3, 4) or _is_number(columns[-1]):
        return 0
    if columns[0].lower() not in _HEADERS:
        notes.append(f'{line.file.name}: the first row is read as a header: "{line.text}".')
    return 1


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _label(line: Line) -> Label:
    columns = _columns(line)
    if len(columns) not in (3, 4):
        raise line.error(
            f"3 columns (query, document, grade) or 4 (TREC) are wanted, this has {len(columns)}."
        )
    query, document, grade = columns[0], *columns[-2:]
    whole = _GRADE.fullmatch(grade.strip())
    if whole is None:
        raise line.error(f'the grade "{grade}" is not a whole number.')
    if len(whole[1]) > _DIGITS:
        raise line.error(
            f'the grade "{grade:.40}" is too large: give one from {-GREATEST} to {GREATEST}.'
        )
    return Label(line, query, document, int(grade))
