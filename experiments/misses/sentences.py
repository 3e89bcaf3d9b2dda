"""What a relation with misses says, in one plain sentence."""

from __future__ import annotations

from experiments.misses.estimates import Estimate
from experiments.misses.relation import LEVEL, MissRelation


def sentence(relation: MissRelation) -> str:
    """One sentence; "no relation was found" comes with what would have been found."""
    name, told = relation.name, relation.auc
    if told is None:
        return f"{name}: not looked at, as {relation.skipped}{_left_out(relation)}."
    of = f"{relation.missed} missed of {relation.missed + relation.found} gold passages"
    if not relation.related:
        return (
            f"{name}: no relation with misses was found ({of}): a missed passage has the higher "
            f"value in {_comparisons(told)}{_smallest(relation)}{_left_out(relation)}."
        )
    side = "high" if relation.end == "highest" else "low"
    return (
        f"{name}: {side} values go with misses ({of}): {_share(relation)}a missed passage has the "
        f"higher value in {_comparisons(told)}{_left_out(relation)}."
    )


def query_sentence(relation: MissRelation, score: str = "score") -> str:
    """One sentence on scores by query; "" where they were not looked at. score: which they are."""
    told = relation.per_query
    if told is None:
        return ""
    said = f"a rank correlation of {told.value:+.2f}{_range(told, '+.2f', 1)}, {_p(told)}"
    if told.corrected > LEVEL:
        return f"{relation.name}: no relation with the {score} of a query was found ({said})."
    side = "higher" if told.value > 0 else "lower"
    return (
        f"{relation.name}: queries have a {side} {score} where their gold passages have higher "
        f"values ({said})."
    )


def _share(relation: MissRelation) -> str:
    if relation.share is None:
        return ""
    share = relation.share
    return (
        f"the 10 % of them with the {relation.end} values hold {100 * share.value:.0f} %"
        f"{_range(share, '.0f', 100)} of the misses, and "
    )


def _comparisons(told: Estimate) -> str:
    value = f"{100 * told.value:.0f}{_range(told, '.0f', 100)}"
    return f"{value} of 100 comparisons with a found one ({_p(told)})"


def _smallest(relation: MissRelation) -> str:
    """What as many misses could have shown: a silence is only as good as the ears."""
    found = relation.detectable
    if found is None:
        return "; with so few of them no relation could have been found"
    high, odds = 100 * found, "would have been found four times in five"
    return f"; about {high:.0f} or more, or {100 - high:.0f} or fewer, {odds}"


def _left_out(relation: MissRelation) -> str:
    count = relation.without_value
    within = "; values are held against their document's mean" if relation.within else ""
    return within + (f"; {count} more have no value" if count else "")


def _range(told: Estimate, form: str, scale: int) -> str:
    if told.low is None or told.high is None:
        return ""
    return f" [{scale * told.low:{form}}, {scale * told.high:{form}}]"


def _p(told: Estimate) -> str:
    return f"p = {max(told.corrected, 0.001):.3f}" if told.corrected >= 0.001 else "p < 0.001"
