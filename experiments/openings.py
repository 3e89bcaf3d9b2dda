"""What a sealed private half was opened for: each opening counts, and none is taken back."""

from __future__ import annotations

import json
import time
from dataclasses import astuple, dataclass
from typing import NamedTuple

from experiments.ledger import OPENED, Ledger, QueryLists, text_digest, trial_digest


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
    """Write the opening down and say which look at these private queries it is.

    Each question about a private half that holds one of them is a look: a new seed of the split
    does not start the count anew. The same question about the same half is the same look, however
    often it is asked.
    """
    place, asked = text_digest(dataset), text_digest(json.dumps(astuple(question)))
    with ledger.transaction() as database:
        half = QueryLists(database).id(private)
        made = database.execute(
            "INSERT OR IGNORE INTO openings VALUES (NULL, ?, ?, ?, ?)",
            (place, half, asked, time.time()),
        )
        before = database.execute(
            "SELECT query_ids FROM openings JOIN lists ON lists.id = private "
            "WHERE dataset = ? AND openings.id <= (SELECT id FROM openings "
            "WHERE dataset = ? AND private = ? AND question = ?)",
            (place, place, half, asked),
        )
        number = sum(not {*private}.isdisjoint(json.loads(page)) for (page,) in before)
        return Look(number, again=made.rowcount == 0)


def was_shown(ledger: Ledger, dataset: str, *, trial: str, private: tuple[str, ...]) -> bool:
    """Whether somebody saw the trial's scores of one of these queries: its seal is broken.

    trial: its fingerprint. On another split of the dataset they may have been its public half.
    What was opened does not count: looks count that.
    """
    place = text_digest(dataset)
    with ledger.transaction() as database:
        halves = database.execute(
            "SELECT DISTINCT digest FROM trials JOIN lists ON lists.id = public WHERE dataset = ?",
            (place,),
        )
        marks = [trial_digest(trial, digest) for (digest,) in halves]
        seen = [
            page
            for mark in marks
            for (page,) in database.execute(
                "SELECT DISTINCT query_ids FROM scores JOIN trials ON trials.id = scores.trial "
                "JOIN lists ON lists.id = list "
                "WHERE dataset = ? AND trials.trial = ? AND side != ?",
                (place, mark, OPENED),
            )
        ]
    return any(not {*private}.isdisjoint(json.loads(page)) for page in seen)
