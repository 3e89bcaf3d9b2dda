"""What a sealed private half was opened for: each opening counts, and none is taken back."""

from __future__ import annotations

import json
import time
from dataclasses import astuple, dataclass
from typing import NamedTuple

from experiments.ledger import Ledger, QueryLists, text_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a private half: is this trial better than that baseline, by this metric?

    trial, baseline: fingerprints of what was tried.
    """

    trial: str
    baseline: str
    metric: str


class Look(NamedTuple):
    """The number of an opening, from 1, and whether it had been made before."""

    number: int
    again: bool


def count_opening(
    ledger: Ledger, dataset: str, private: tuple[str, ...], question: Question
) -> Look:
    """Write the opening down and say which look at this private half of the dataset it is.

    The same question is the same look, however often it is asked; another trial, baseline or
    metric is another look.
    """
    place, asked = text_digest(dataset), text_digest(json.dumps(astuple(question)))
    with ledger.transaction() as database:
        half = QueryLists(database).id(private)
        made = database.execute(
            "INSERT OR IGNORE INTO openings VALUES (NULL, ?, ?, ?, ?)",
            (place, half, asked, time.time()),
        )
        found = database.execute(
            "SELECT count(*) FROM openings WHERE dataset = ? AND private = ? AND id <= "
            "(SELECT id FROM openings WHERE dataset = ? AND private = ? AND question = ?)",
            (place, half, place, half, asked),
        )
        return Look(int(found.fetchone()[0]), again=made.rowcount == 0)


def was_shown(
    ledger: Ledger,
    dataset: str,
    *,
    trial: str,
    public: tuple[str, ...],
    private: tuple[str, ...],
) -> bool:
    """Whether the ledger has private scores of a trial over this half: its seal is broken."""
    with ledger.transaction() as database:
        lists = QueryLists(database)
        found = database.execute(
            "SELECT count(*) FROM scores JOIN trials ON trials.id = scores.trial "
            "WHERE side = 'private' AND list = ? AND dataset = ? AND trials.trial = ?",
            (lists.id(private), text_digest(dataset), lists.trial(trial, public)),
        )
        return bool(found.fetchone()[0])
