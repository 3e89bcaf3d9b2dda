"""The file that names the sides of a split: read, or refused with the line that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.datasets.lines import read_lines


def read_sides(path: Path, known: set[str], names: Sequence[str]) -> dict[str, str]:
    """Query id -> the name of its side, as far as the file says or implies it.

    known: the ids of the dataset.  names: of the sides. Where a line holds an id alone, those ids
    are on the first side and all others on the second.
    Raises ValueError with file and line for the first line that is wrong.
    """
    lines = [(line, line.text.split("\t")) for line in read_lines(path, [])]
    width = len(lines[0][1])
    if width not in (1, 2):
        raise lines[0][0].error(
            f"{width} columns: write one {names[0]} query id a line, or id, tab, side."
        )
    sides: dict[str, str] = {}
    for line, cells in lines:
        fault = _fault(cells, width, known, sides, names)
        if fault:
            raise line.error(fault)
        sides[cells[0]] = cells[1] if width == 2 else names[0]
    if width == 1:
        sides.update((query, names[1]) for query in known - sides.keys())
    return sides


def _fault(
    cells: Sequence[str],
    width: int,
    known: set[str],
    before: Mapping[str, str],
    names: Sequence[str],
) -> str | None:
    """What is wrong with a line, as the end of a sentence."""
    if len(cells) != width:
        return f"{len(cells)} columns, where the first line has {width}: keep to one form."
    if cells[0] not in known:
        return f'"{cells[0]}" is no query of the dataset: write its id as the query file has it.'
    if cells[0] in before:
        return f'query "{cells[0]}" stands here a second time: name it once.'
    if width == 2 and cells[1] not in names:
        return f'the side is "{cells[1]}": write {", ".join(names[:-1])} or {names[-1]}.'
    return None
