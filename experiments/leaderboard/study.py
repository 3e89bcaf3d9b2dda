"""`+experiment=leaderboard`: what a board's public and private columns show."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.atomic_file import atomic_file
from experiments.console import say, terminal
from experiments.leaderboard.board import Board, read_board
from experiments.leaderboard.grid import grid_step, infer_queries
from experiments.leaderboard.page import write_board
from experiments.leaderboard.reading import ADVICE, BoardReading, read, sentences
from experiments.schema import Report, RunRecord

if TYPE_CHECKING:
    from experiments.setting import Setting


@dataclass(frozen=True, kw_only=True)
class Leaderboard:
    """Reads a board of submissions and says what luck alone would make of it.

    path: a CSV file (see `read_board`).
    queries: how many questions each half has; None reads it off the scores where it can.
    depth: how many results of a question the board's metrics look at.
    """

    title: str
    setting: Setting
    path: str | None
    queries: int | None = None
    depth: int = 3

    def run(self) -> Report:
        """Print the sentences, write them as text and as a page with figures, track them."""
        started = time.time()
        if self.path is None:
            raise ValueError("There is no board to read: give leaderboard.path=FILE.csv.")
        if self.queries is not None and self.queries < 1:
            raise ValueError(f"leaderboard.queries is {self.queries}: give 1 or more.")
        if not 1 <= self.depth <= 10:
            raise ValueError(f"leaderboard.depth is {self.depth}: give a depth from 1 to 10.")
        board = read_board(self.path)
        queries = self.queries or inferred(board, self.depth)
        readings = [read(board, metric, queries) for metric in board.scores]
        notes = [*board.notes, _questions(self.queries, queries)]
        told = [
            *notes,
            *(f"{one.metric}: {said}" for one in readings for said in sentences(one)),
            ADVICE,
        ]
        folder = self.setting.open_folder(self.title)
        with atomic_file(folder / "leaderboard.txt") as part:
            part.write_text("\n".join(told) + "\n", encoding="utf-8")
        page = write_board(folder / "leaderboard.html", Path(self.path).name, readings, notes)
        files = [folder / "leaderboard.txt", page]
        self.setting.point_latest(folder)
        self._track(started, readings, files)
        out = terminal()
        for sentence in told:
            say(out, sentence)
        say(out, f"Report: {page}")
        return Report(folder=folder)

    def _track(self, started: float, readings: list[BoardReading], files: list[Path]) -> None:
        measures: dict[str, float] = {}
        for one in readings:
            measures |= {
                f"{one.metric}/best_public": float(one.public[one.best]),
                f"{one.metric}/its_private": float(one.private[one.best]),
                f"{one.metric}/its_private_place": one.rank,
                f"{one.metric}/noise_deviation": one.noise.deviation,
            }
            if one.agreement is not None:
                measures[f"{one.metric}/tau"] = one.agreement.tau
                measures[f"{one.metric}/tau_of_noise"] = one.agreement.ceiling
        self.setting.track(
            RunRecord(
                name=self.title,
                experiment=self.title,
                dataset=None,
                group=self.title,
                started=started,
                ended=time.time(),
                params={"leaderboard.path": str(self.path)},
                measures=measures,
                files=files,
            )
        )


def inferred(board: Board, depth: int) -> int | None:
    """How many questions all metrics of a board agree on; None where none of them tells."""
    found = [
        infer_queries(sides, grid_step(metric, depth), board.digits[metric])
        for metric, sides in board.scores.items()
    ]
    known = [count for count in found if count is not None]
    return math.lcm(*known) if known else None


def _questions(given: int | None, queries: int | None) -> str:
    if given is not None:
        return f"Each half has {given} questions, as given."
    if queries is None:
        return (
            "The scores do not tell how many questions each half has: give leaderboard.queries=N, "
            "or leaderboard.depth=K where the board does not look at the first 3 results."
        )
    return (
        f"All scores lie on the grid of {queries} questions a half (a multiple of it would fit "
        "as well)."
    )
