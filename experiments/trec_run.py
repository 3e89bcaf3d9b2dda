"""TREC run files: `query Q0 document rank score tag`, one result a line.

Blanks separate the columns, so an id that holds one is written percent-encoded: "my file.pdf"
stands as "my%20file.pdf". All other ids stand as they are.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from experiments.atomic_file import atomic_file
from experiments.datasets.lines import LONE_RETURNS, Line, read_text
from retrievers.ranking import Ranking

COLUMNS = "query Q0 document rank score tag"

# Every blank of Unicode; the byte order mark, which readers skip at the start of a file; and NUL,
# at which they take the file for another encoding.
_BLANKS = [sign for sign in map(chr, range(0x3001)) if sign.isspace()] + ["\ufeff", "\0"]
_CODES = "|".join(quote(sign)[1:] for sign in [*_BLANKS, "%"])
_ENCODED = re.compile(rf"[{re.escape(''.join(_BLANKS))}]|%(?={_CODES})")


@dataclass(frozen=True, slots=True, eq=False)
class TrecRun:
    """A run file as it was read.

    ranking: over the document ids of the file, in the order they first stand there. A query
        without a line is not in it.
    tag: the name the run gives itself in the sixth column of its first line.
    notes: one sentence for each thing that reading mended, with its count.
    """

    ranking: Ranking
    tag: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Table:
    """The columns of a run file, one entry a result line."""

    queries: dict[bytes, int]
    documents: dict[bytes, int]
    query: array[int]
    document: array[int]
    rank: array[float]
    score: array[float]
    tag: str = ""


def read_run(path: Path, names: Iterable[str] = ()) -> TrecRun:
    """Read a run file; columns are separated by any blanks; what follows the tag is not read.

    names: ids of queries and documents, such as those of a dataset: where the file has one of them
        as `write_run` encodes it, the run gets the id itself. All other ids are read as they stand.

    Results stand by score, highest first, as in trec_eval; equal scores by the rank column, then
    as in the file, so that renaming a document moves nothing (trec_eval sorts them by document
    id). A document that a query repeats is kept once, at its best place, and counted in the notes.
    A byte order mark, CRLF and blank lines are skipped.

    Raises ValueError, with file and line, for a missing or empty file, a line of fewer than six
    columns, a rank that is no number, a score that is no finite number, bytes that are not UTF-8,
    lines that end in \\r alone.
    """
    table = _read_table(path)
    order, kept = _order(table)
    ranking = _ranking(table, order[kept], {encoded(name): name for name in names})
    repeats = len(order) - int(kept.sum())
    note = f"{path}: results that repeat a document of their query, kept once, first: {repeats}."
    return TrecRun(ranking, table.tag, (note,) if repeats else ())


def write_run(path: Path, ranking: Ranking, *, tag: str = "rankproof") -> Path:
    """Write a ranking as a run file, whole or not at all; the same ranking gives the same bytes.

    The score of a result is the number of results from it to the end of its query's list: scores
    fall strictly, so every evaluator keeps this order. A query without results has no line. Ids
    are `encoded`; `read_run` gives them back when it is told the ids.
    Raises ValueError for an id or a tag that is empty.
    """
    results = {
        encoded(query): [encoded(name) for name in found]
        for query, found in ranking.by_query().items()
    }
    with atomic_file(path) as part:
        part.write_text("".join(run_lines(results, tag)), encoding="utf-8", newline="\n")
    return path


def encoded(name: str) -> str:
    """The id as it can stand in a column: each blank is percent-encoded as UTF-8.

    A "%" is encoded where it would be taken for such a code, so two ids never become one.
    """
    return _ENCODED.sub(lambda sign: quote(sign.group()), name)


def run_lines(results: Mapping[str, Sequence[str]], tag: str) -> Iterator[str]:
    """The lines of a run file, from query id -> document ids, best first.

    Blanks in the tag become "-". Raises ValueError for an id that is no column.
    """
    tag = column("-".join(tag.split()), "tag")
    for query, found in results.items():
        column(query, "query id")
        for place, document in enumerate(found):
            column(document, "document id")
            yield f"{query} Q0 {document} {place + 1} {len(found) - place} {tag}\n"


def column(text: str, what: str) -> str:
    """The text itself. Raises ValueError where it is empty or holds a blank."""
    if text.split() != [text]:
        raise ValueError(
            f"The {what} {text!r} cannot stand in a TREC run: it is empty or holds a blank; "
            "rename it."
        )
    return text


def _read_table(path: Path) -> _Table:
    table = _Table({}, {}, array("i"), array("i"), array("d"), array("d"))
    # Bytes split at ASCII blanks alone, as in trec_eval: an id may hold a no-break space.
    data = read_text(path).removeprefix("\ufeff").encode()
    if b"\n" not in data and b"\r" in data.strip():
        raise Line(path, 1, "").error(LONE_RETURNS)
    for number, line in enumerate(data.split(b"\n"), 1):
        columns = line.split(None, 5)
        if not columns:
            continue
        try:
            query, _, document, rank, score, tag = columns
            table.rank.append(_number(rank))
            table.score.append(_number(score))
        except ValueError:
            raise Line(path, number, "").error(_complaint(columns)) from None
        table.query.append(table.queries.setdefault(query, len(table.queries)))
        table.document.append(table.documents.setdefault(document, len(table.documents)))
        table.tag = table.tag or tag.split()[0].decode()
    if not table.queries:
        raise ValueError(f"{path} is empty; a TREC run has lines of six columns: {COLUMNS}.")
    return table


def _number(column: bytes) -> float:
    value = float(column)
    if not math.isfinite(value):
        raise ValueError
    return value


def _complaint(columns: list[bytes]) -> str:
    """Why a line that could not be read is wrong."""
    if len(columns) < 6:
        return f"{len(columns)} columns where a TREC run has six: {COLUMNS}."
    names = zip(("rank", "score"), columns[3:5], strict=True)
    name, column = next(pair for pair in names if not _is_number(pair[1]))
    return f"the {name} {column.decode()!r} is not a finite number; the columns are {COLUMNS}."


def _is_number(column: bytes) -> bool:
    try:
        return math.isfinite(float(column))
    except ValueError:
        return False


def _order(table: _Table) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The lines query by query, best first, and which of them do not repeat a document."""
    query, document = np.asarray(table.query, np.int64), np.asarray(table.document, np.int64)
    order = np.lexsort((np.asarray(table.rank), -np.asarray(table.score), query))
    pairs = (query * len(table.documents) + document)[order]
    kept = np.zeros(len(order), dtype=np.bool_)
    kept[np.unique(pairs, return_index=True)[1]] = True
    return order, kept


def _ranking(table: _Table, lines: NDArray[np.int64], names: Mapping[str, str]) -> Ranking:
    query = np.asarray(table.query, np.int64)[lines]
    lengths = np.bincount(query, minlength=len(table.queries))
    place = np.arange(len(lines)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    nodes = np.full((len(lengths), int(lengths.max())), -1, dtype=np.int32)
    scores = np.full(nodes.shape, np.nan)
    nodes[query, place] = np.asarray(table.document, np.int32)[lines]
    scores[query, place] = np.asarray(table.score)[lines]
    query_ids, documents = (
        tuple(names.get(name, name) for name in map(bytes.decode, ids))
        for ids in (table.queries, table.documents)
    )
    return Ranking(query_ids, documents, nodes, scores)
