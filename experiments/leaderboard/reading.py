"""All that is read off one metric of a leaderboard, and its sentences."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from experiments.leaderboard.board import Board
from experiments.leaderboard.noise import (
    Agreement,
    Flips,
    Noise,
    agreement,
    flips,
    growing_drop,
    noise,
)

_EDGES = (0.0, 1.0, 2.0, 5.0, 10.0)  # of a public gap, in questions
ADVICE = (
    "Two means a submission cannot say that a gain is real: that needs the scores of each "
    "question. Choose among your own runs with labels (+experiment=overfit_report), and use the "
    "board to check."
)
_STEP = 0.01  # a question, where nobody knows how many there are


@dataclass(frozen=True, slots=True, eq=False)
class BoardReading:
    """One metric of a board.

    queries: of each half; None where it is not known, and gaps are then in hundredths of a score.
    best, best_private: rows of the best public and the best private submission.
    luck: what the best of as many equally good submissions would gain in public by luck, in
        score, were they independent.
    growth: Spearman's rho of the drop with the order of the submissions, and its p; None where
        that order is not known, as of a file that is sorted by its scores.
    """

    board: Board
    metric: str
    queries: int | None
    best: int
    best_private: int
    noise: Noise
    luck: float
    agreement: Agreement | None
    flips: tuple[Flips, ...]
    growth: tuple[float, float] | None

    @property
    def public(self) -> NDArray[np.float64]:
        """The public scores, [k]."""
        return self.board.scores[self.metric][0]

    @property
    def private(self) -> NDArray[np.float64]:
        """The private scores, [k]."""
        return self.board.scores[self.metric][1]

    @property
    def rank(self) -> int:
        """The private place of the public winner, 1 = first."""
        return self.place(self.best)

    def place(self, row: int) -> int:
        """The private place of a submission, 1 = first; equals share it."""
        return 1 + int((self.private > self.private[row] + 1e-9).sum())

    def amount(self, score: float) -> str:
        """A difference as a number of questions, where their number is known."""
        if self.queries is None:
            return f"{score:.4f}"
        return f"{score:.4f} ({score * self.queries:.1f} of {self.queries} questions)"


def read(board: Board, metric: str, queries: int | None) -> BoardReading:
    """Everything about one metric of a board."""
    public, private = board.scores[metric]
    best = int(public.argmax())
    spread = noise(public, private)
    step = 1 / queries if queries else _STEP
    return BoardReading(
        board=board,
        metric=metric,
        queries=queries,
        best=best,
        best_private=int(private.argmax()),
        noise=spread,
        luck=spread.deviation / np.sqrt(2) * _expected_maximum(len(public)),
        agreement=agreement(public, private),
        flips=tuple(flips(public, private, step * np.array(_EDGES))),
        growth=None if _ranked(board, public, private) else growing_drop(public, private),
    )


def sentences(reading: BoardReading) -> list[str]:
    """What the two columns show, in plain words. No verdict: they cannot carry one."""
    return [
        _winner(reading),
        _regret(reading),
        *_luck(reading),
        *_order(reading),
        *_flipped(reading),
        *_growth(reading),
    ]


def _ranked(board: Board, *columns: NDArray[np.float64]) -> bool:
    """Whether the lines stand by their scores and not by time."""
    steps = [np.diff(column) for column in columns]
    return not board.in_time and any((one <= 0).all() or (one >= 0).all() for one in steps)


def _winner(reading: BoardReading) -> str:
    public, private = reading.public[reading.best], reading.private[reading.best]
    drop, name = public - private, reading.board.names[reading.best]
    side = "falls by" if drop > 0 else "rises by"
    return (
        f"{name} is best in public of {len(reading.public)} submissions with {public:.4f}. In "
        f"private it {side} {reading.amount(abs(drop))} to {private:.4f}, place {reading.rank}."
    )


def _regret(reading: BoardReading) -> str:
    if reading.rank == 1:
        return "It is best in private too: choosing by the public board cost nothing."
    name = reading.board.names[reading.best_private]
    lost = reading.private[reading.best_private] - reading.private[reading.best]
    return (
        f"Best in private is {name} with {reading.private[reading.best_private]:.4f}: choosing by "
        f"the public board cost {reading.amount(float(lost))}."
    )


def _luck(reading: BoardReading) -> list[str]:
    spread = reading.noise
    if not spread.deviation:
        return []
    easier = "easier" if spread.shift > 0 else "harder"
    return [
        f"The public half is {abs(spread.shift):.4f} {easier} for the middle submission. Beyond "
        f"that, the two scores of one submission typically lie {reading.amount(spread.deviation)} "
        f"apart, by which questions are in which half. So the best of {len(reading.public)} "
        f"equally good submissions would look up to {reading.amount(reading.luck)} better than it "
        "is, less where they share answers: smaller gaps in public say little."
    ]


def _order(reading: BoardReading) -> list[str]:
    told = reading.agreement
    if told is None:
        return []
    said = (
        f"The two boards order the submissions with a Kendall tau of {told.tau:.2f} (1 = the same "
        f"order, 0 = no relation); boards of this noise would give {told.ceiling:.2f} "
        f"[{told.low:.2f}, {told.high:.2f}] even if nothing was tuned on either"
    )
    if told.tau < told.low:
        return [
            f"{said}, so they disagree more than noise explains: some submissions were probably "
            "fitted to the public half."
        ]
    return [f"{said}: what changes places between the boards is noise, no sign of overfitting."]


def _flipped(reading: BoardReading) -> list[str]:
    unit = 1 / reading.queries if reading.queries else _STEP
    word = "questions" if reading.queries else "hundredths of a score"
    told = []
    for one in reading.flips:
        if one.share is not None:
            least = f"{one.least / unit:.0f}"
            size = f"{least} or more" if one.most is None else f"{least} to {one.most / unit:.0f}"
            told.append(f"{size} {word}: {100 * one.share:.0f} % of {one.pairs} pairs")
    return [
        f"How often private reverses two submissions, by their public gap: {'; '.join(told)}. "
        "At 50 % a gap in public says nothing."
    ]


def _growth(reading: BoardReading) -> list[str]:
    if reading.growth is None:
        return []
    (rho, p), order = reading.growth, "time" if reading.board.in_time else "the lines of the file"
    if p > 0.05:
        return [
            f"In the order of {order} the drop from public to private does not grow (rank "
            f"correlation {rho:+.2f}, p = {p:.2f}): the public board was not learnt by heart so "
            "far as this shows."
        ]
    word = "grows" if rho > 0 else "shrinks"
    return [
        f"In the order of {order} the drop from public to private {word} (rank correlation "
        f"{rho:+.2f}, p = {max(p, 0.001):.3f}; submissions that resemble each other make this p "
        "too small)."
    ]


def _expected_maximum(count: int) -> float:
    """Of that many standard normal values (Blom 1958)."""
    return NormalDist().inv_cdf((count - 0.375) / (count + 0.25)) if count > 1 else 0.0
