"""What a leaderboard shows, as one page that opens without a network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments import pages
from experiments.leaderboard.figure import board_figure
from experiments.leaderboard.reading import ADVICE, BoardReading, sentences

_TEMPLATE = Path(__file__).with_name("page.html")
_TOP = 10


def write_board(
    path: Path, title: str, readings: Sequence[BoardReading], notes: Sequence[str]
) -> Path:
    """Write the sentences, a figure and the best submissions of each metric."""
    parts = [
        {
            "metric": reading.metric,
            "sentences": sentences(reading),
            "figure": pages.inserted(board_figure(reading), f"board-{number}"),
            "best": best(reading),
        }
        for number, reading in enumerate(readings)
    ]
    return pages.write_page(path, _TEMPLATE, title=title, parts=parts, notes=notes, advice=ADVICE)


def best(reading: BoardReading) -> list[list[str]]:
    """A row for each of the best in public: name, time, public, private, its place, the drop."""
    public, private, board = reading.public, reading.private, reading.board
    order = np.argsort(-public, kind="stable")[:_TOP]
    return [
        [
            board.names[row],
            board.times[row],
            f"{public[row]:.4f}",
            f"{private[row]:.4f}",
            str(reading.place(int(row))),
            reading.amount(float(public[row] - private[row])),
        ]
        for row in order
    ]
