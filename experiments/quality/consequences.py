"""What bad chunks cost, and what a reader said of them, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.misses.sentences import sentence

if TYPE_CHECKING:
    from experiments.misses.relation import MissRelation
    from experiments.quality.misses import Misses
    from experiments.quality.reviewed import LabelShare, Reviewed


def cost(misses: Misses) -> list[str]:
    """What was found about misses, measure by measure, and what was left out."""
    relations = misses.relations.values()
    found = [sentence(one) for one in relations if one.related]
    silent = [one for one in relations if not one.skipped and not one.related]
    if silent:
        found.append(
            f"No relation with misses was found for {_listed(silent)} (a gold passage is missed "
            f"where it is not among the first {misses.k} results)."
        )
    return [*found, *_not_looked_at(misses), *left_out(misses)]


def left_out(misses: Misses) -> list[str]:
    """What the relations with misses do not cover, or why there are none; nothing to tell: []."""
    reasons = {
        "queries that the gate blocked": misses.blocked,
        "queries of the sealed half": misses.sealed,
        "gold passages that no chunk holds": misses.lost,
    }
    told = [f"{count:,} {what}" for what, count in reasons.items() if count]
    said = f"Left out of what bad chunks cost: {', '.join(told)}." if told else ""
    return [*filter(None, (misses.skipped, said))]


def labels(said: Reviewed | None) -> list[str]:
    """What a reader's labels say, and what too few of them could not; nothing without a review."""
    if said is None:
        return []
    shares = ", ".join(
        f"{one.label} {100 * one.share:.0f} % [{100 * one.low:.0f}, {100 * one.high:.0f}]"
        for one in said.labels
    )
    told = [
        f"{said.source} labels {said.labelled:,} of {said.chunks:,} chunks: {shares}. The 95 % "
        "intervals are for all chunks where these were drawn at random, as in review.html."
    ]
    compared = [_compared(one, name) for one in said.labels for name in one.higher]
    told += [words for words in compared if words]
    if not told[1:] and compared:
        told.append("No measure was found to differ between chunks with a label and without it.")
    few = [one.label for one in said.labels if not one.higher]
    if few:
        told.append(
            f"Too few chunks with or without it to compare their measures: {', '.join(few)}."
        )
    return told


def _not_looked_at(misses: Misses) -> list[str]:
    """The measures that could not be held against misses, by the reason."""
    reasons: dict[str, list[MissRelation]] = {}
    for one in misses.relations.values():
        if one.skipped:
            reasons.setdefault(one.skipped, []).append(one)
    return [
        f"Misses could not be held against {_listed(several)}: {reason}."
        for reason, several in reasons.items()
    ]


def _listed(relations: Sequence[MissRelation]) -> str:
    *before, last = (one.name.lower() for one in relations)
    return f"{', '.join(before)} and {last}" if before else last


def _compared(one: LabelShare, name: str) -> str:
    """One sentence where the interval does not hold one half."""
    value, low, high = (100 * share for share in one.higher[name])
    if low <= 50 <= high:
        return ""
    return (
        f'A chunk labelled "{one.label}" has the higher {name.replace("_", " ")} in {value:.0f} '
        f"[{low:.0f}, {high:.0f}] of 100 comparisons with a labelled one without it."
    )
